-- A SELECT for each table, of its name, the number of its rows and the sum of their hashes, which is the same in whatever order they come.
SET group_concat_max_len = 1000000;
SELECT CONCAT('SELECT ''', table_name, ''', COUNT(*), COALESCE(SUM(CAST(CONV(LEFT(MD5(CONCAT_WS('','', ',
    GROUP_CONCAT('QUOTE(`', column_name, '`)' ORDER BY ordinal_position), ')), 15), 16, 10) AS DECIMAL(20))), 0) FROM `', table_name, '`;')
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'steelyard' AND table_type = 'BASE TABLE' GROUP BY table_name ORDER BY table_name;
