// Blocks of a page's data: raw deflate (RFC 1951) in base64. DecompressionStream answers later, and not in every browser.
const unpack = (() => {
  const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]; // of the lengths of codes
  const inflated = (source) => {
    let at = 0, held = 0, have = 0, end = 0, out = new Uint8Array(4 * source.length + 1024);
    const see = (many) => { while (have < many) { held |= source[at++] << have; have += 8; } }; // beyond the end are zeros
    const drop = (many) => { held >>>= many; have -= many; };
    const bits = (many) => { see(many); const found = held & ((1 << many) - 1); drop(many); return found; };
    const codes = (lengths) => { // by the next 15 bits: a symbol, and how many of these bits are its code
      const table = new Uint16Array(1 << 15);
      for (let length = 1, code = 0; length < 16; length++, code <<= 1) lengths.forEach((own, symbol) => {
        if (own !== length) return;
        let turned = 0;
        for (let i = 0; i < length; i++) turned |= ((code >> i) & 1) << (length - 1 - i);
        for (let i = turned; i < 1 << 15; i += 1 << length) table[i] = (symbol << 4) | length;
        code++;
      });
      return table;
    };
    const symbol = (table) => { see(15); const found = table[held & 32767]; drop(found & 15); return found >> 4; };
    const room = (more) => { if (end + more > out.length) { const larger = new Uint8Array(2 * (end + more)); larger.set(out); out = larger; } };
    for (let last = false; !last;) {
      last = bits(1) === 1;
      const kind = bits(2);
      if (kind === 0) { // bytes as they are, from the next whole one on
        at -= have >> 3;
        held = have = 0;
        const many = source[at] | (source[at + 1] << 8);
        room(many);
        out.set(source.subarray(at + 4, at + 4 + many), end);
        at += 4 + many;
        end += many;
        continue;
      }
      let literal = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)), distance = new Array(30).fill(5);
      if (kind === 2) {
        const literals = bits(5) + 257, all = literals + bits(5) + 1, few = new Array(19).fill(0), lengths = [];
        for (let i = 0, many = bits(4) + 4; i < many; i++) few[ORDER[i]] = bits(3);
        for (const table = codes(few); lengths.length < all;) {
          const found = symbol(table);
          if (found < 16) { lengths.push(found); continue; }
          const again = found === 16 ? lengths[lengths.length - 1] : 0;
          for (let many = found === 16 ? 3 + bits(2) : found === 17 ? 3 + bits(3) : 11 + bits(7); many; many--) lengths.push(again);
        }
        [literal, distance] = [lengths.slice(0, literals), lengths.slice(literals)];
      }
      const [literals, distances] = [codes(literal), codes(distance)];
      for (let found = symbol(literals); found !== 256; found = symbol(literals)) {
        room(258);
        if (found < 256) { out[end++] = found; continue; }
        const many = LENGTHS[found - 257] + bits(found < 265 || found === 285 ? 0 : (found - 261) >> 2), far = symbol(distances), more = far < 2 ? 0 : (far >> 1) - 1;
        const back = (far < 2 ? far : (2 + (far & 1)) << more) + 1 + bits(more);
        for (let i = 0; i < many; i++, end++) out[end] = out[end - back];
      }
    }
    return out.slice(0, end);
  };
  const raw = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), bytes = (text) => inflated(raw(text));
  const list = (text) => text && JSON.parse(new TextDecoder().decode(bytes(text)));
  const floats = (text, runs) => { // as they are used: question by question
    const own = new Float32Array(bytes(text).buffer), n = own.length / runs, found = new Float32Array(own.length);
    for (let r = 0; r < runs; r++) for (let q = 0; q < n; q++) found[q * runs + r] = own[r * n + q];
    return found;
  };
  return { raw, inflated, bytes, list, floats };
})();
