// The Buffet: every element of an order is checked by its rule.

import { Fault, many, textOf } from './values.js';

const COUNTRIES = new Set(['AT', 'CA', 'CH', 'DE', 'FR', 'GB', 'IT', 'JP', 'PL', 'US']);
const CURRENCIES = new Set(['CHF', 'EUR', 'GBP', 'JPY', 'USD']);
const UNITS = new Set(['each', 'box', 'kilogram', 'litre', 'metre']);
const QUANTITY = /^[1-9]\d{0,3}$/;
const UNIT_PRICE = /^\d{1,6}\.\d{2}$/;
const TOTAL = /^\d{1,10}\.\d{2}$/;

const HEADER = {
  OrderNumber: (text) => /^ORD-\d{8}$/.test(text),
  Customer: (text) => isText(text, 40),
  Mail: (text) => /^[A-Za-z0-9._-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(text),
  Country: (text) => COUNTRIES.has(text),
  Currency: (text) => CURRENCIES.has(text),
  OrderDate: isDay,
};

/** The rules of a part's texts, which may ask for its others, its place and the day of the order. */
const PART = {
  Number: (text, { place }) => text === String(place),
  Sku: (text) => /^[A-Z]{3}-\d{5}$/.test(text),
  Description: (text) => isText(text, 80),
  Quantity: (text) => QUANTITY.test(text),
  Unit: (text) => UNITS.has(text),
  UnitPrice: (text) => UNIT_PRICE.test(text),
  Total: (text, { texts }) => isTotal(text, texts),
  NeededBy: (text, { ordered }) => isDay(text) && (!isDay(ordered) || text >= ordered),
  Warehouse: (text) => /^W\d{2}$/.test(text),
};

export function validate(order) {
  if (order.Header === undefined || order.Parts === undefined) throw new Fault('the order lacks its header or its parts');
  const header = textsOf(order.Header, HEADER);
  const parts = many(order.Parts?.Part).map((part) => textsOf(part, PART));
  const violations = broken(HEADER, { texts: header, place: 0 });
  for (const [index, texts] of parts.entries()) {
    violations.push(...broken(PART, { texts, place: index + 1, ordered: header.OrderDate }));
  }
  return { OrderNumber: header.OrderNumber, Customer: header.Customer, Parts: parts.length, Violation: violations };
}

/** The texts of the elements that have rules; a missing one counts as empty. */
function textsOf(element, rules) {
  return Object.fromEntries(Object.keys(rules).map((name) => [name, textOf(element?.[name]) ?? '']));
}

function broken(rules, given) {
  const names = Object.keys(rules).filter((name) => !rules[name](given.texts[name], given));
  return names.map((name) => ({ Part: given.place, Element: name, Value: given.texts[name] }));
}

function isText(text, most) {
  return [...text].length <= most && /[^ ]/.test(text);
}

/** Whether the total is quantity times unit price, which is not asked where one of these breaks its own rule. */
function isTotal(text, { Quantity: quantity, UnitPrice: price }) {
  if (!TOTAL.test(text)) return false;
  if (!QUANTITY.test(quantity) || !UNIT_PRICE.test(price)) return true;
  return Number(quantity) * cents(price) === cents(text);
}

function cents(amount) {
  return Number(amount.replace('.', ''));
}

/** Whether it is a day of the years 2000 to 2099. */
function isDay(text) {
  if (!/^20\d{2}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
