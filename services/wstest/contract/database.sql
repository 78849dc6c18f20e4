-- What a database beside the service holds when a trial begins: the journal, to which journal = jdbc adds a row a request.
CREATE TABLE journal (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  taken timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  bytes integer NOT NULL
);
