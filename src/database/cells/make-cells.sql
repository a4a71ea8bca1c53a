-- Makes a node's cells anew, on the node itself: for each of its shards of `sessions` a schema with a view of each table's shard of the
-- same merchants. Statements name tables without a schema, so they find the views where search_path is the cell's schema.
--
-- A cell reads what all merchants share from the node's own copy. Writing that in a cell would change one copy alone: it is refused.

create or replace function refuse_shared_write() returns trigger language plpgsql as $$
begin
  raise exception 'the table % is shared by all merchants, and is not written in a cell', tg_table_name;
end $$;

create or replace function make_cells(newest_migration integer) returns integer language plpgsql as $$
declare
  own_group integer := (select groupid from pg_dist_local_group);
  colocation integer := (select colocationid from pg_dist_partition where logicalrelid = 'sessions'::regclass);
  -- Statements name rows of these by their place.
  placed text[] := '{webhook_queue, acquirer_operations, holds, acquirer_notices}';
  made integer := 0;
  cell record;
  part record;
  may record;
begin
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  -- A coordinator's connections to its nodes do not bear what its session has set: such a statement would wait for a lock here until
  -- statement_timeout, and hold the locks that it has. The time is that of driver.ts.
  execute format('alter role current_user in database %I set lock_timeout = 1500', current_database());
  -- Marks that a server which has gone back has lost, as the schema has them for a single one. They outlast the cells.
  create schema if not exists node;
  create table if not exists node.high_water_marks (
    epoch bigint primary key, mark text not null, written_at timestamptz not null, system_identifier text, timeline bigint);
  for cell in select nspname as name from pg_namespace where nspname ~ '^cell_\d+$' loop
    execute format('drop schema %I cascade', cell.name);
  end loop;
  for cell in
    select format('cell_%s', s.shardid) as name, s.shardminvalue, s.shardmaxvalue
    from pg_dist_shard s join pg_dist_placement p using (shardid)
    where s.logicalrelid = 'sessions'::regclass and p.groupid = own_group
  loop
    made := made + 1;
    execute format('create schema %I', cell.name);
    execute format('create view %I.high_water_marks as select * from node.high_water_marks', cell.name);
    execute format('create function %I.webhook_id(at timestamptz, seed text) returns text language sql stable strict parallel safe
      return public.webhook_id(at, seed)', cell.name);
    for part in
      select c.oid as id, c.relname as name, shard_name(s.logicalrelid, s.shardid) as shard, d.partmethod = 'n' as is_shared
      from pg_dist_shard s join pg_dist_partition d using (logicalrelid) join pg_class c on c.oid = s.logicalrelid
      where not c.relispartition
        and (d.partmethod = 'n' and d.repmodel = 't' or d.colocationid = colocation and s.shardminvalue = cell.shardminvalue)
    loop
      execute format('create view %I.%I as select *%s from %s%s', cell.name, part.name,
        case when part.name = any(placed) then ', ctid' else '' end, part.shard,
        -- Whoever goes through all merchants goes through those of the cell.
        case when part.name = 'merchants' then format(' where worker_hash(merchant_id) between %s and %s',
          cell.shardminvalue, cell.shardmaxvalue) else '' end);
      -- Who may use a table may use it here.
      for may in
        select case a.grantee when 0 then 'public' else a.grantee::regrole::text end as who, a.privilege_type as what
        from pg_class c, aclexplode(c.relacl) a where c.oid = part.id and a.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
      loop
        execute format('grant usage on schema %I to %s', cell.name, may.who);
        execute format('grant %s on %I.%I to %s', may.what, cell.name, part.name, may.who);
      end loop;
      if part.is_shared then
        execute format('create trigger shared instead of insert or update or delete on %I.%I
          for each row execute function public.refuse_shared_write()', cell.name, part.name);
      end if;
    end loop;
  end loop;
  execute format('comment on schema node is %L', newest_migration);
  return made;
end $$;
