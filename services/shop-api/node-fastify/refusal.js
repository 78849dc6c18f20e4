/** An error that the client gets as a status and a reason; Fastify reads `statusCode`. */
export class Refusal extends Error {
  constructor(statusCode, reason) {
    super(reason);
    this.statusCode = statusCode;
  }
}

export const NOT_VALID = 'not valid';
export const notValid = () => new Refusal(400, NOT_VALID);
export const notFound = () => new Refusal(404, 'not found');
export const outOfStock = () => new Refusal(409, 'out of stock');
