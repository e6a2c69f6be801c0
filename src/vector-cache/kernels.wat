;; What is done for every vector of a collection, in integers. kernels.ts holds the assembled bytes.
(module
  (memory (import "rows" "memory") 1 65536)
  ;; products[i] = sum over j of query[j] * row(slots[i])[j], where row(s) begins at rows + s * stride.
  ;; query: int16; rows: int8; stride: their length, a multiple of 16; count: a multiple of 4.
  ;; Four rows at a time, for each piece of the query is loaded once for all of them.
  (func (export "dotProducts")
    (param $query i32) (param $slots i32) (param $count i32)
    (param $rows i32) (param $stride i32) (param $products i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128) (local $piece v128)
    (local $row0 i32) (local $row1 i32) (local $row2 i32) (local $row3 i32)
    (local $at i32) (local $end i32)
    (local.set $end (i32.add (local.get $slots) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next_rows
      (br_if $done (i32.ge_u (local.get $slots) (local.get $end)))
      (local.set $row0 (i32.add (local.get $rows)
        (i32.mul (local.get $stride) (i32.load (local.get $slots)))))
      (local.set $row1 (i32.add (local.get $rows)
        (i32.mul (local.get $stride) (i32.load offset=4 (local.get $slots)))))
      (local.set $row2 (i32.add (local.get $rows)
        (i32.mul (local.get $stride) (i32.load offset=8 (local.get $slots)))))
      (local.set $row3 (i32.add (local.get $rows)
        (i32.mul (local.get $stride) (i32.load offset=12 (local.get $slots)))))
      (local.set $sum0 (v128.const i32x4 0 0 0 0))
      (local.set $sum1 (v128.const i32x4 0 0 0 0))
      (local.set $sum2 (v128.const i32x4 0 0 0 0))
      (local.set $sum3 (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $next_piece
        (local.set $piece (v128.load
          (i32.add (local.get $query) (i32.shl (local.get $at) (i32.const 1)))))
        (local.set $sum0 (i32x4.add (local.get $sum0) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s (i32.add (local.get $row0) (local.get $at))))))
        (local.set $sum1 (i32x4.add (local.get $sum1) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s (i32.add (local.get $row1) (local.get $at))))))
        (local.set $sum2 (i32x4.add (local.get $sum2) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s (i32.add (local.get $row2) (local.get $at))))))
        (local.set $sum3 (i32x4.add (local.get $sum3) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s (i32.add (local.get $row3) (local.get $at))))))
        (local.set $piece (v128.load offset=16
          (i32.add (local.get $query) (i32.shl (local.get $at) (i32.const 1)))))
        (local.set $sum0 (i32x4.add (local.get $sum0) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s offset=8 (i32.add (local.get $row0) (local.get $at))))))
        (local.set $sum1 (i32x4.add (local.get $sum1) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s offset=8 (i32.add (local.get $row1) (local.get $at))))))
        (local.set $sum2 (i32x4.add (local.get $sum2) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s offset=8 (i32.add (local.get $row2) (local.get $at))))))
        (local.set $sum3 (i32x4.add (local.get $sum3) (i32x4.dot_i16x8_s (local.get $piece)
          (v128.load8x8_s offset=8 (i32.add (local.get $row3) (local.get $at))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next_piece (i32.lt_u (local.get $at) (local.get $stride))))
      (v128.store (local.get $products)
        (call $sums (local.get $sum0) (local.get $sum1) (local.get $sum2) (local.get $sum3)))
      (local.set $products (i32.add (local.get $products) (i32.const 16)))
      (local.set $slots (i32.add (local.get $slots) (i32.const 16)))
      (br $next_rows))))

  ;; The sum of the lanes of each of four vectors.
  (func $sums (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $ab v128) (local $cd v128)
    (local.set $ab (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $cd (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ab) (local.get $cd))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ab) (local.get $cd))))

  ;; sums[i] = sum over j of table[2j][low 4 bits of code(i)[j]] + table[2j+1][its high 4 bits], for 16 codes at
  ;; once, of which bytes 0 come first, then bytes 1, and so on. A table has 16 entries of a byte, below 128.
  ;; bytes: of a code; blocks: of 16 codes; sums: uint16, which must hold them.
  (func (export "sumOfTables")
    (param $tables i32) (param $codes i32) (param $bytes i32) (param $blocks i32) (param $sums i32)
    (local $first v128) (local $last v128) (local $code v128) (local $both v128)
    (local $table i32) (local $end i32)
    (local.set $end (i32.add (local.get $tables) (i32.shl (local.get $bytes) (i32.const 5))))
    (block $done (loop $next_block
      (br_if $done (i32.eqz (local.get $blocks)))
      (local.set $first (v128.const i32x4 0 0 0 0))
      (local.set $last (v128.const i32x4 0 0 0 0))
      (local.set $table (local.get $tables))
      (loop $next_byte
        (local.set $code (v128.load (local.get $codes)))
        (local.set $both (i8x16.add
          (i8x16.swizzle (v128.load (local.get $table))
            (v128.and (local.get $code) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))
          (i8x16.swizzle (v128.load offset=16 (local.get $table))
            (i8x16.shr_u (local.get $code) (i32.const 4)))))
        (local.set $first (i16x8.add (local.get $first) (i16x8.extend_low_i8x16_u (local.get $both))))
        (local.set $last (i16x8.add (local.get $last) (i16x8.extend_high_i8x16_u (local.get $both))))
        (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
        (local.set $table (i32.add (local.get $table) (i32.const 32)))
        (br_if $next_byte (i32.lt_u (local.get $table) (local.get $end))))
      (v128.store (local.get $sums) (local.get $first))
      (v128.store offset=16 (local.get $sums) (local.get $last))
      (local.set $sums (i32.add (local.get $sums) (i32.const 32)))
      (local.set $blocks (i32.sub (local.get $blocks) (i32.const 1)))
      (br $next_block)))))
