-- Whether a payment was disputed: 'standing' while a dispute of it is open or lost, else 'over'; null where none ever was.
alter table payments add column if not exists dispute text;
