-- Every table with the number of its rows and the MD5 of them all.
CREATE FUNCTION pg_temp.state() RETURNS TABLE (relation text, entries bigint, checksum text) LANGUAGE plpgsql AS $$
BEGIN
  FOR relation IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename LOOP
    EXECUTE format('SELECT count(*), md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '''')) FROM %I AS t', relation)
      INTO entries, checksum;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT relation, entries, checksum FROM pg_temp.state();
