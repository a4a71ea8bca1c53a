-- Until then an acquirer may still approve what was taken back: that it holds nothing so far is not the end of it.

alter table orphan_authorisations add column watched_until timestamptz;
