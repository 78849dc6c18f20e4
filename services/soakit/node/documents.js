// How documents are carried: as XML of the message or as a string, wrapped or bare. The library binds them by the WSDL; each use case
// gets what it made of a document, and gives what it is to write.

import { validate } from './buffet.js';
import { digest } from './news.js';
import { acknowledge } from './orders.js';
import { Fault } from './values.js';

const MOST_DEPTH = 100;
const DOCUMENT_TYPE = /^(?:\s|<\?[^]*?\?>|<!--[^]*?-->)*<!DOCTYPE/; // the parser passes over one, and refuses it anywhere else

const TV_DINNER = {
  element: 'tvDinner',
  document: 'ProcessPurchaseOrder',
  answer: 'AcknowledgePurchaseOrder',
  namespace: 'urn:steelyard:soakit:order',
  process: acknowledge,
};
const SUSHI_BOATS = {
  element: 'sushiBoats',
  document: 'NewsPosting',
  answer: 'NewsDigest',
  namespace: 'urn:steelyard:soakit:news',
  process: digest,
};
const BUFFET = {
  element: 'buffet',
  document: 'Order',
  answer: 'Validation',
  namespace: 'urn:steelyard:soakit:buffet',
  process: validate,
};

/** The operations as the library wants them: service, port, operation. It calls them as its server's own methods. */
export const services = {
  TVDinner: { TVDinnerPort: inMessage(TV_DINNER) },
  SushiBoats: { SushiBoatsPort: inMessage(SUSHI_BOATS) },
  Buffet: { BuffetPort: inMessage(BUFFET) },
  Text: { TextPort: { ...inText(TV_DINNER), ...inText(SUSHI_BOATS), ...inText(BUFFET) } },
};

/**
 * The library looks for the type of an element that a message's body, or a text, holds in the WSDL's own namespace. Each such element
 * is told the namespace that its schema has, else nothing in a bare document would have a type.
 */
export function tellNamespaces(wsdl) {
  for (const { element } of Object.values(wsdl.definitions.messages)) {
    element.xmlns = { ...element.xmlns, __tns__: element.targetNamespace };
  }
}

/** The operations of a use case whose document is XML of the message. */
function inMessage(useCase) {
  return {
    [useCase.element]: (message) => answered(useCase, only(useCase, message)),
    [`${useCase.element}Bare`]: (document) => answer(useCase, document),
  };
}

/** The operations of a use case whose document is a string of the message. */
function inText(useCase) {
  return {
    [`${useCase.element}Text`](message) {
      return { answer: ofText(this.wsdl, useCase, message?.text) };
    },
    [`${useCase.element}BareText`](text) {
      return ofText(this.wsdl, useCase, text);
    },
  };
}

/** The answer to a document that is a string, as a string. */
export function ofText(wsdl, useCase, text) {
  if (typeof text !== 'string') throw new Fault('the message holds no text');
  if (DOCUMENT_TYPE.test(text)) throw new Fault('the document has a document type');
  const document = only(useCase, wsdl.xmlToObject(text));
  return wsdl.objectToXML(answered(useCase, document), null, '', '');
}

/** The answer as what an element holds. In an element of another namespace the library tells none of what it refers to. */
function answered(useCase, document) {
  return { [useCase.answer]: { attributes: { xmlns: useCase.namespace }, ...answer(useCase, document) } };
}

function answer(useCase, document) {
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    throw new Fault(`one ${useCase.document} with its content is due`);
  }
  refuseDepth(document, MOST_DEPTH);
  return useCase.process(document);
}

/** The document where nothing else stands beside it. */
function only(useCase, around) {
  const [name, ...others] = Object.keys(around ?? {}).filter((key) => key !== 'attributes');
  if (name !== useCase.document || others.length > 0) throw new Fault(`a ${useCase.document} alone is due`);
  return around[name];
}

function refuseDepth(element, left) {
  if (left < 1) throw new Fault(`elements nest more than ${MOST_DEPTH} deep`);
  for (const child of Object.values(element)) {
    for (const each of [child].flat()) if (each !== null && typeof each === 'object') refuseDepth(each, left - 1);
  }
}
