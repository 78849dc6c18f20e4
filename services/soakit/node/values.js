// Values from what the library makes of an element: a text, an object of children, attributes and `$value`, null where it is empty, and an
// array where it came more than once.

/** Refuses a request; the library makes a SOAP fault of it. */
export class Fault extends Error {
  constructor(reason) {
    super(reason);
    this.Fault = { faultcode: 'soap:Client', faultstring: reason, statusCode: 500 };
  }
}

const PLACES = 6;
const MOST_DIGITS = 40;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const INTEGER = /^[+-]?\d+$/;
const WHITE = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/** All of an element that may be repeated. */
export function many(elements) {
  return elements === undefined ? [] : [elements].flat();
}

/** The text of an element, or undefined where there is none. */
export function textOf(element) {
  if (Array.isArray(element)) throw new Fault('an element is there more than once');
  if (element === undefined || typeof element === 'string') return element;
  return element?.$value ?? '';
}

/** The text of an element that must be there. */
export function required(element, name) {
  const text = textOf(element);
  if (text === undefined) throw new Fault(`the document lacks a ${name}`);
  return text;
}

/** The value of an attribute with a prefix, whichever: the library does not tell what one stands for. */
export function prefixed(element, name) {
  const [, value] = Object.entries(element?.attributes ?? {}).find(([key]) => key.endsWith(`:${name}`)) ?? [];
  return value;
}

/** The local part of the name of an element's type (xsi:type). */
export function typeOf(element) {
  return prefixed(element, 'type')?.replace(WHITE, '').replace(/^[^:]*:/, '');
}

/** The millionths of an xs:decimal. */
export function readDecimal(element, name) {
  const text = required(element, name).replace(WHITE, '');
  const [whole, fraction = ''] = text.split('.');
  if (!DECIMAL.test(text) || text.length > MOST_DIGITS || fraction.length > PLACES) throw new Fault(`a ${name} is no number`);
  return BigInt(`${whole.replace('+', '')}${fraction.padEnd(PLACES, '0')}`);
}

/** An xs:integer in its plain spelling. */
export function readInteger(element, name) {
  const text = required(element, name).replace(WHITE, '');
  if (!INTEGER.test(text) || text.length > MOST_DIGITS) throw new Fault(`a ${name} is no whole number`);
  return String(BigInt(text.replace('+', '')));
}

/** A number of millionths, or of `power` times as many places, in full, with no zeros at its end. */
export function writeDecimal(number, power = 1) {
  const digits = String(number < 0n ? -number : number).padStart(power * PLACES + 1, '0');
  const fraction = digits.slice(-power * PLACES).replace(/0+$/, '');
  return `${number < 0n ? '-' : ''}${digits.slice(0, -power * PLACES)}${fraction && `.${fraction}`}`;
}

export const ONE = 10n ** BigInt(PLACES);
