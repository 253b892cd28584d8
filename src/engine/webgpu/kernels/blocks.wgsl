// Blocks of BLOCK positions of the sequences ([first row, length, start in the page table] each), for attention's gradient.

struct Block {
  /** First row of the sequence; 0 length: there is no such block. */
  row: u32,
  length: u32,
  table: u32,
  /** Position at which the block begins. */
  start: u32,
}

fn block_at(index: u32) -> Block {
  var left = index;
  for (var s = 0u; s < p.count; s = s + 1u) {
    let length = word_sequences(s * 3u + 1u);
    let blocks = (length + BLOCK - 1u) / BLOCK;
    if (left < blocks) {
      return Block(word_sequences(s * 3u), length, word_sequences(s * 3u + 2u), left * BLOCK);
    }
    left = left - blocks;
  }
  return Block(0u, 0u, 0u, 0u);
}

var<workgroup> found: Block;

/** block_at, the same for a whole workgroup. */
fn find_block(index: u32, lane: u32) -> Block {
  if (lane == 0u) {
    found = block_at(index);
  }
  return workgroupUniformLoad(&found);
}

/** Word of K (key j of its page, dimension d) and of V in the page of position `at`. */
fn page_of(block: Block, at: u32) -> u32 {
  return word_tables(block.table + (at >> 5u)) >> 2u;
}
fn key_word(page: u32, head: u32, j: u32, d: u32) -> u32 {
  return page + head * DIM * 32u + (j >> 3u) * DIM * 8u + d * 8u + (j & 7u);
}
fn value_word(page: u32, head: u32, j: u32, d: u32) -> u32 {
  return page + (p.kvHeads + head) * DIM * 32u + (d >> 3u) * 256u + j * 8u + (d & 7u);
}
