-- A second charge of a payment may wait for a person, too, where the acquirer cannot be asked which of the two lives.
-- contract: the release before claims nothing that is held back, whoever it belongs to
alter table orphan_authorisations drop constraint orphan_authorisations_check4;
