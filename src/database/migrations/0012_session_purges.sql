-- Sessions that nobody paid are deleted after some days: how far each merchant's were gone through.

create table session_purges (
  merchant_id  text not null,
  mode         text not null check (mode in ('test', 'live')),
  -- The newest line of the journal that was looked at. Unpaid sessions of this mode that lines up to it tell of are gone.
  until        text collate "C" not null,
  primary key (merchant_id, mode)
);
