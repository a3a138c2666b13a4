-- A database as the first version made it, with one judgement.
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
CREATE TABLE about (name TEXT NOT NULL PRIMARY KEY, value JSON NOT NULL);
CREATE TABLE units (
  topic TEXT NOT NULL PRIMARY KEY, language TEXT NOT NULL, times INTEGER NOT NULL, taken INTEGER NOT NULL, rank FLOAT NOT NULL
);
CREATE TABLE items (
  id TEXT NOT NULL PRIMARY KEY, topic TEXT NOT NULL REFERENCES units (topic), kind TEXT NOT NULL, question TEXT NOT NULL,
  answer TEXT NOT NULL, supports JSON NOT NULL, pool INTEGER NOT NULL
);
CREATE TABLE people (
  name TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, languages JSON NOT NULL, token TEXT UNIQUE, expires FLOAT NOT NULL
);
CREATE TABLE sessions (
  cookie TEXT NOT NULL PRIMARY KEY, person TEXT NOT NULL REFERENCES people (name), csrf TEXT NOT NULL, expires FLOAT NOT NULL
);
CREATE TABLE claims (
  topic TEXT NOT NULL REFERENCES units (topic), person TEXT NOT NULL REFERENCES people (name), until FLOAT NOT NULL,
  done INTEGER NOT NULL, PRIMARY KEY (topic, person)
);
CREATE TABLE records (
  number INTEGER NOT NULL PRIMARY KEY, id TEXT NOT NULL UNIQUE, person TEXT NOT NULL REFERENCES people (name),
  item TEXT NOT NULL REFERENCES items (id), at TEXT NOT NULL, verdict TEXT NOT NULL, comment TEXT NOT NULL,
  mark TEXT NOT NULL, pool INTEGER NOT NULL, guidelines TEXT NOT NULL, received FLOAT NOT NULL
);
CREATE INDEX ix_items_topic ON items (topic);
CREATE INDEX ix_sessions_person ON sessions (person);
CREATE INDEX records_item ON records (item, person);
INSERT INTO alembic_version VALUES ('0001');
INSERT INTO about VALUES
  ('name', '"old"'), ('guidelines', '"g"'), ('told', '"t"'), ('secret', '"s"'), ('home', '"h"'), ('names', '"verdicts"'),
  ('pool', '1'), ('nuggets', '{}');
INSERT INTO units VALUES ('t', '', 1, 1, 0.5);
INSERT INTO items VALUES ('i', 't', 'answer', '?', 'a', '[]', 1);
INSERT INTO people VALUES ('ana', 'assessor', '[]', NULL, 0);
INSERT INTO claims VALUES ('t', 'ana', 0, 1);
INSERT INTO records VALUES (1, 'an-old-id', 'ana', 'i', '2026-01-01T00:00:00.000+00:00', 'R', 'c', '', 1, '', 0);
