// Values of the schema's types from their texts, and their texts again. What is no such value throws a Fault.

/** Refuses a request; both SOAP libraries make a SOAP fault of it. */
export class Fault extends Error {
  constructor(reason) {
    super(reason);
    this.Fault = { faultcode: 'soap:Client', faultstring: reason, statusCode: 500 };
  }
}

const INT = /^\s*[+-]?\d+\s*$/;
const FLOAT = /^\s*(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|NaN|-?INF)\s*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The number that an xs:int spells. */
export function readInt(text) {
  const number = INT.test(text ?? '') ? Number(text) : NaN;
  if (number !== (number | 0)) throw new Fault(`'${text}' is no xs:int`);
  return number;
}

/** The number that an xs:float spells. JavaScript has only 64 bits; its shortest text names the same 32-bit number. */
export function readFloat(text) {
  if (!FLOAT.test(text ?? '')) throw new Fault(`'${text}' is no xs:float`);
  return Number(text.replace('INF', 'Infinity'));
}

export function writeFloat(number) {
  return String(number).replace('Infinity', 'INF');
}

/** The bytes that an xs:base64Binary spells; white space in it means nothing. */
export function readBytes(text) {
  const packed = (text ?? '').replace(/\s+/g, '');
  if (!BASE64.test(packed)) throw new Fault('no xs:base64Binary');
  return Buffer.from(packed, 'base64');
}

export function readString(text) {
  return text ?? '';
}
