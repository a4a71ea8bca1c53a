-- Up to how much support may refund of a payment. Of a currency without a row, nothing.

create table support_refund_limits (
  merchant_id  text not null references merchants,
  currency     text not null,
  -- In minor units.
  amount       bigint not null check (amount > 0),
  primary key (merchant_id, currency)
);
