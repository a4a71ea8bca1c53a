-- Of a receipt that somebody had sent again: the how manieth time. Its letter bears another name then, so that no mail program takes it
-- for the letter before. Null for the first.
alter table receipt_queue add column sequence integer;
