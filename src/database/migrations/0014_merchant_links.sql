-- Where shoppers find the merchant: its terms, its support, and the shop that they came from.

alter table integrations
  add column terms_url text,
  add column support_url text,
  add column back_url text;
