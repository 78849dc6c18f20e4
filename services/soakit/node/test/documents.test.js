import assert from 'node:assert/strict';
import { test } from 'node:test';

import { validate } from '../buffet.js';
import { ofText, services } from '../documents.js';
import { digest } from '../news.js';
import { acknowledge } from '../orders.js';
import { readDecimal, readInteger, textOf, writeDecimal } from '../values.js';

const item = { attributes: { 'x:type': ' o:KitItem ' } };
const amount = (text) => ({ Amount: { attributes: { currency: 'EUR' }, $value: text } });
const order = {
  ApplicationArea: { DocumentId: 'one' },
  DataArea: {
    PurchaseOrder: {
      Header: {
        OrderId: { attributes: { scheme: 'own' }, $value: 'PO' },
        Priority: ' 5 ',
        Party: [
          { attributes: { 'y:type': 'c:BuyerParty' }, Name: 'Buyer', Contact: { Telephone: [null, {}] } },
          { attributes: { 'y:type': 'c:SupplierParty' }, Name: 'Supplier' },
        ],
      },
      Line: [
        {
          LineNumber: ' 01 ',
          Subline: [
            { Item: item, Quantity: '+03.50', Price: amount('2.01'), Freight: amount('0.10'), Discount: [amount('1'), amount('.005')] },
          ],
        },
      ],
    },
  },
};

test('an order is counted and added up, exactly', () => {
  const { Original, DataArea } = acknowledge(order);
  assert.equal(Original, 'one');
  assert.deepEqual(DataArea, {
    Acknowledge: { Response: 'Accepted' },
    PurchaseOrder: {
      OrderId: 'PO',
      Buyer: 'Buyer',
      Priority: '5',
      Telephones: 2,
      Line: [{ LineNumber: '1', Sublines: 1, Kits: 1, Quantity: '3.5', Amount: '6.13' }],
      Amount: '6.13',
    },
  });
});

test('an order that lacks what the answer needs is refused with a fault', () => {
  for (const path of ['ApplicationArea', 'DataArea', 'DataArea.PurchaseOrder.Header', 'DataArea.PurchaseOrder.Header.OrderId', 'DataArea.PurchaseOrder.Line.0.LineNumber']) {
    const less = structuredClone(order);
    const names = path.split('.');
    const last = names.pop();
    delete names.reduce((element, name) => element[name], less)[last];
    assert.throws(() => acknowledge(less), hasFault, path);
  }
});

test('numbers are read in every spelling and written in full', () => {
  for (const [text, plain] of [['12.50', '12.5'], [' +007\n', '7'], ['-0.000001', '-0.000001'], ['.5', '0.5'], ['5.', '5'], ['0', '0']]) {
    assert.equal(writeDecimal(readDecimal(text, 'number')), plain);
  }
  assert.equal(readInteger(' -007 ', 'number'), '-7');
  for (const text of ['', 'many', '1e3', '0x1', '1.2.3', '1_000', '-', '.', '0.0000001', '9'.repeat(41), undefined, null, {}]) {
    assert.throws(() => readDecimal(text, 'number'), hasFault, String(text));
  }
});

test('a posting keeps stories by their topics, and attributes by their prefixes', () => {
  const story = (attributes) => ({ attributes: { id: 's', topic: 'arts', ...attributes }, Headline: 'h', Body: { Paragraph: ['𝄞a', ''] } });
  const posting = { attributes: { id: 'p' }, Interests: { Topic: [' arts '] }, Story: [story({ 'q:language': 'de' }), story({ language: 'fr' }), story({ topic: 'x' })] };
  const { Kept: kept, Stories: stories } = digest(posting);
  assert.deepEqual([stories, kept.map((each) => [each.Language, each.Characters])], [3, [['de', 2], [undefined, 2]]]);
  assert.deepEqual(digest({ attributes: { id: 'p' }, Interests: null }), { Posting: 'p', Stories: 0, Kept: [] });
  assert.throws(() => digest({ Interests: null }), hasFault);
});

test('every broken rule of an order is named, and a missing element counts as an empty text', () => {
  const { Violation: violations } = validate({ Header: { OrderDate: '2005-02-30' }, Parts: { Part: [{ Number: '2', NeededBy: '2004-02-29' }] } });
  const named = violations.map((each) => each.Element);
  assert.deepEqual(named.slice(0, 7), ['OrderNumber', 'Customer', 'Mail', 'Country', 'Currency', 'OrderDate', 'Number']);
  assert.ok(!named.includes('NeededBy'));
  assert.throws(() => validate({ Header: {} }), hasFault);
});

test('what is no text, has a document type, or nests too deep is refused before it is answered', () => {
  const useCase = { element: 'a', document: 'A', answer: 'B', namespace: 'urn:a', process: () => ({ C: 'c' }) };
  const nested = (depth) => (depth === 0 ? { text: 'x' } : { x: nested(depth - 1) });
  const wsdl = (made) => ({ xmlToObject: () => made, objectToXML: (answer) => JSON.stringify(answer) });
  assert.equal(ofText(wsdl({ A: nested(60) }), useCase, '<A/>'), '{"B":{"attributes":{"xmlns":"urn:a"},"C":"c"}}');
  assert.throws(() => ofText(wsdl({ A: nested(101) }), useCase, '<A/>'), hasFault);
  for (const made of [{}, { A: null }, { A: [{}, {}] }, { A: {}, D: {} }, { D: {} }]) {
    assert.throws(() => ofText(wsdl(made), useCase, '<A/>'), hasFault, JSON.stringify(made));
  }
  for (const text of [undefined, null, {}, '<!DOCTYPE a><A/>', ' <!-- a --><?b c?><!DOCTYPE a><A/>']) {
    assert.throws(() => ofText(wsdl({ A: {} }), useCase, text), hasFault, String(text));
  }
  assert.throws(() => services.Buffet.BuffetPort.buffet({ Other: null }), hasFault);
  assert.throws(() => textOf(['one', 'two']), hasFault);
});

function hasFault(error) {
  return error.Fault?.faultcode === 'soap:Client';
}
