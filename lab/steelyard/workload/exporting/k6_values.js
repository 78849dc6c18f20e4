// Secrets, and the places of a text that are filled when it is sent.
function secret(source) {
  return source.startsWith('env:') ? __ENV[source.slice(4)] : open(source.slice(5)).trim();
}

function uuid() {
  const bytes = new Uint8Array(crypto.randomBytes(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function coded(value, coding) {
  if (coding === 'url') {
    return encodeURIComponent(value).replace(/[!'()*]/g, (letter) => '%' + letter.charCodeAt(0).toString(16).toUpperCase());
  }
  if (coding === 'json') return JSON.stringify(value).slice(1, -1);
  if (coding !== 'xml') return value;
  const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return value.replace(/[&<>"]/g, (letter) => marks[letter]);
}

function filled(text, values) {
  return text.replace(/\{\{(\w+)(?::(url|json|xml))?\}\}/g, (place, name, coding) => {
    if (values[name] !== undefined) return coded(values[name], coding);
    if (name === 'uuid') return uuid();
    if (name === 'counter') return String(exec.scenario.iterationInTest);
    if (name === 'nonce') return coded(encoding.b64encode(crypto.randomBytes(16)), coding);
    if (!name.startsWith('time')) return place;
    return coded(new Date(Date.now() + 1000 * Number(name.slice(10) || 0)).toISOString(), coding);
  });
}
