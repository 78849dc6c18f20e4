-- What the pet store's four parts begin with, in SQL that PostgreSQL, H2 and SQLite read alike: catalog and customers of the web site,
-- orders of the order processing center, stock of the supplier; what is still to be sent, and ids of what came (variant `outbox`).
-- No statement holds a semicolon but at its end.
CREATE TABLE category (id VARCHAR(20) PRIMARY KEY, name VARCHAR(40) NOT NULL, about VARCHAR(200) NOT NULL);
CREATE TABLE product (id VARCHAR(20) PRIMARY KEY, category VARCHAR(20) NOT NULL REFERENCES category (id), name VARCHAR(40) NOT NULL,
  about VARCHAR(200) NOT NULL);
CREATE TABLE item (id VARCHAR(20) PRIMARY KEY, product VARCHAR(20) NOT NULL REFERENCES product (id), name VARCHAR(60) NOT NULL,
  cents INTEGER NOT NULL);
CREATE TABLE account (id VARCHAR(40) PRIMARY KEY, password VARCHAR(40) NOT NULL, name VARCHAR(80) NOT NULL, email VARCHAR(80) NOT NULL,
  role VARCHAR(10) NOT NULL);
CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY, customer VARCHAR(40) NOT NULL, name VARCHAR(80) NOT NULL, email VARCHAR(80) NOT NULL,
  cents INTEGER NOT NULL, placed VARCHAR(40) NOT NULL, status VARCHAR(12) NOT NULL, document TEXT NOT NULL);
CREATE TABLE order_line (order_id VARCHAR(40) NOT NULL REFERENCES orders (id), item VARCHAR(20) NOT NULL, quantity INTEGER NOT NULL,
  shipped INTEGER NOT NULL, PRIMARY KEY (order_id, item));
CREATE TABLE inventory (item VARCHAR(20) PRIMARY KEY, quantity INTEGER NOT NULL);
CREATE TABLE supplier_order (id VARCHAR(40) PRIMARY KEY, status VARCHAR(12) NOT NULL, shipments INTEGER NOT NULL, document TEXT NOT NULL);
CREATE TABLE outbox (id VARCHAR(40) PRIMARY KEY, destination VARCHAR(20) NOT NULL, due BIGINT NOT NULL, document TEXT NOT NULL);
CREATE TABLE inbox (id VARCHAR(40) PRIMARY KEY);
CREATE INDEX outbox_by_due ON outbox (destination, due);
CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX supplier_orders_by_status ON supplier_order (status);

INSERT INTO category VALUES ('birds', 'Birds', 'Singers and talkers for a light room');
INSERT INTO category VALUES ('cats', 'Cats', 'They keep you, if they like you');
INSERT INTO category VALUES ('dogs', 'Dogs', 'Company for every weather');
INSERT INTO category VALUES ('fish', 'Fish', 'Quiet, and every one another colour');
INSERT INTO category VALUES ('reptiles', 'Reptiles', 'For those who can wait and watch');

INSERT INTO product VALUES ('canary', 'birds', 'Canary', 'Sings from the first light');
INSERT INTO product VALUES ('finch', 'birds', 'Finch', 'Small and never alone');
INSERT INTO product VALUES ('parrot', 'birds', 'Parrot', 'Says what you said, and when it should not');
INSERT INTO product VALUES ('persian', 'cats', 'Persian', 'Long hair, short walks');
INSERT INTO product VALUES ('siamese', 'cats', 'Siamese', 'Blue eyes and an opinion');
INSERT INTO product VALUES ('tabby', 'cats', 'Tabby', 'The cat that most people mean');
INSERT INTO product VALUES ('beagle', 'dogs', 'Beagle', 'A nose on four legs');
INSERT INTO product VALUES ('collie', 'dogs', 'Collie', 'Herds children where there are no sheep');
INSERT INTO product VALUES ('poodle', 'dogs', 'Poodle', 'Clever, and knows it');
INSERT INTO product VALUES ('carp', 'fish', 'Koi carp', 'Grows as old as you do');
INSERT INTO product VALUES ('goldfish', 'fish', 'Goldfish', 'The first pet of many');
INSERT INTO product VALUES ('guppy', 'fish', 'Guppy', 'One today, thirty in spring');
INSERT INTO product VALUES ('gecko', 'reptiles', 'Gecko', 'Walks on the ceiling');
INSERT INTO product VALUES ('iguana', 'reptiles', 'Iguana', 'A green neighbour of two metres');
INSERT INTO product VALUES ('tortoise', 'reptiles', 'Tortoise', 'Be sure that somebody inherits it');

INSERT INTO item SELECT id || '-1', id, name || ', young', 1850 FROM product;
INSERT INTO item SELECT id || '-2', id, name || ', grown', 4200 FROM product;
INSERT INTO item VALUES ('parrot-3', 'parrot', 'Parrot that knows poems', 60000);

INSERT INTO inventory SELECT id, 100000000 FROM item;
UPDATE inventory SET quantity = 0 WHERE item = 'tortoise-2';

CREATE TABLE digit (n INTEGER PRIMARY KEY);
INSERT INTO digit VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
INSERT INTO account SELECT 'shopper-' || a.n || b.n, 'secret-' || a.n || b.n, 'Shopper ' || a.n || b.n,
  'shopper-' || a.n || b.n || '@example.org', 'customer' FROM digit a, digit b;
DROP TABLE digit;
INSERT INTO account VALUES ('admin', 'admin-secret', 'Administrator', 'admin@example.org', 'admin');
