;; SIMD functions for work on very many vectors. kernels.ts has the assembled bytes.
(module
  (memory (import "rows" "memory") 1 65536)
  ;; products[i] = sum over j of query[j] * row(slots[i])[j], where row(s) begins at rows + s * stride.
  ;; query: int16; rows: int8; stride: their length, a multiple of 16; count: a multiple of 4.
  ;; Takes four rows at a time, so that each piece of the query is loaded once for all of them.
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
        (call $sumsOfIntegers (local.get $sum0) (local.get $sum1) (local.get $sum2) (local.get $sum3)))
      (local.set $products (i32.add (local.get $products) (i32.const 16)))
      (local.set $slots (i32.add (local.get $slots) (i32.const 16)))
      (br $next_rows))))

  ;; sum[j] += sum over i of weights[i] * row(slots[i])[j], with rows as above, in float32.
  (func (export "addRows")
    (param $sum i32) (param $slots i32) (param $count i32)
    (param $rows i32) (param $stride i32) (param $weights i32)
    (local $weight v128) (local $row i32) (local $end i32) (local $at i32)
    (block $done (loop $next_row
      (br_if $done (i32.eqz (local.get $count)))
      (local.set $weight (v128.load32_splat (local.get $weights)))
      (local.set $row (i32.add (local.get $rows)
        (i32.mul (local.get $stride) (i32.load (local.get $slots)))))
      (local.set $end (i32.add (local.get $row) (local.get $stride)))
      (local.set $at (local.get $sum))
      (loop $next_four
        (v128.store (local.get $at) (f32x4.add (v128.load (local.get $at)) (f32x4.mul (local.get $weight)
          (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (i16x8.extend_low_i8x16_s
            (v128.load32_zero (local.get $row))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (br_if $next_four (i32.lt_u (local.get $row) (local.get $end))))
      (local.set $slots (i32.add (local.get $slots) (i32.const 4)))
      (local.set $weights (i32.add (local.get $weights) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next_row))))

  ;; Sums the lanes of each of four vectors.
  (func $sumsOfIntegers (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
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

  ;; A code has one bit per component. 16 codes form a block: the bytes 0 of all of them come first, then the
  ;; bytes 1, and so on. Then follow four arrays of 16 numbers: offsets, factors and errors (float32), and slots
  ;; (int32). So a block has 16 * bytes + 256 bytes.
  ;; A run is a number of successive blocks; runs lists them: address and number of blocks (int32), base and
  ;; spread (float32).
  ;; sum = sum over j of table[2j][low 4 bits of byte j] + table[2j+1][its high 4 bits]. A table has 16 entries
  ;; of one byte, each below 64, so that four of them can be added; no sum may exceed 65535.
  ;; estimate = base + offset + factor * (low + step * sum); bound = estimate + spread * error.
  ;; For each bound of at least least, found receives the slot; 8192 bytes later the estimate, and 16384 bytes
  ;; later the bound. The result is how many were found.
  ;; Of indices below 16, relaxed_swizzle gives what swizzle gives.
  ;; bytes: length of a code, a multiple of 2; end: where runs ends. Overwrites bytes 0 to 159 of the memory.
  (func (export "estimate")
    (param $tables i32) (param $bytes i32) (param $runs i32) (param $end i32)
    (param $low f32) (param $step f32) (param $least f32) (param $found i32) (result i32)
    (local $even v128) (local $odd v128) (local $code v128) (local $four_sums v128) (local $estimate v128)
    (local $base v128) (local $spread v128) (local $bound v128) (local $nibble v128)
    (local $block i32) (local $blocks i32) (local $table i32) (local $tablesEnd i32) (local $four i32)
    (local $reach i32) (local $count i32) (local $row i32) (local $at i32)
    (local.set $nibble (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
    (local.set $tablesEnd (i32.add (local.get $tables) (i32.shl (local.get $bytes) (i32.const 5))))
    (loop $next_run
      (local.set $block (i32.load (local.get $runs)))
      (local.set $blocks (i32.load offset=4 (local.get $runs)))
      (local.set $base (v128.load32_splat offset=8 (local.get $runs)))
      (local.set $spread (v128.load32_splat offset=12 (local.get $runs)))
      (loop $next_block
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (local.set $table (local.get $tables))
        (loop $next_bytes
          (local.set $code (v128.load (local.get $block)))
          (local.set $four_sums (i8x16.add
            (i8x16.relaxed_swizzle (v128.load (local.get $table)) (v128.and (local.get $code) (local.get $nibble)))
            (i8x16.relaxed_swizzle (v128.load offset=16 (local.get $table))
              (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibble)))))
          (local.set $code (v128.load offset=16 (local.get $block)))
          (local.set $four_sums (i8x16.add (local.get $four_sums) (i8x16.add
            (i8x16.relaxed_swizzle (v128.load offset=32 (local.get $table)) (v128.and (local.get $code) (local.get $nibble)))
            (i8x16.relaxed_swizzle (v128.load offset=48 (local.get $table))
              (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibble))))))
          ;; The odd bytes are added here too, and subtracted at the end.
          (local.set $even (i16x8.add (local.get $even) (local.get $four_sums)))
          (local.set $odd (i16x8.add (local.get $odd) (i16x8.shr_u (local.get $four_sums) (i32.const 8))))
          (local.set $block (i32.add (local.get $block) (i32.const 32)))
          (local.set $table (i32.add (local.get $table) (i32.const 64)))
          (br_if $next_bytes (i32.lt_u (local.get $table) (local.get $tablesEnd))))
        (local.set $even (i16x8.sub (local.get $even) (i16x8.shl (local.get $odd) (i32.const 8))))
        (v128.store (i32.const 0)
          (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $even) (local.get $odd)))
        (v128.store (i32.const 16)
          (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $even) (local.get $odd)))
        (local.set $reach (i32.const 0))
        (local.set $four (i32.const 0))
        (loop $next_four
          (local.set $row (i32.shl (local.get $four) (i32.const 2)))
          (local.set $at (i32.add (local.get $block) (local.get $row)))
          (local.set $estimate (f32x4.add
            (f32x4.add (local.get $base) (v128.load (local.get $at)))
            (f32x4.mul (v128.load offset=64 (local.get $at))
              (f32x4.add (f32x4.splat (local.get $low))
                (f32x4.mul (f32x4.splat (local.get $step))
                  (f32x4.convert_i32x4_s
                    (i32x4.extend_low_i16x8_u (v128.load64_zero (i32.shl (local.get $four) (i32.const 1))))))))))
          (local.set $bound (f32x4.add (local.get $estimate)
            (f32x4.mul (local.get $spread) (v128.load offset=128 (local.get $at)))))
          (v128.store offset=32 (local.get $row) (local.get $estimate))
          (v128.store offset=96 (local.get $row) (local.get $bound))
          (local.set $reach (i32.or (local.get $reach) (i32.shl
            (i32x4.bitmask (f32x4.ge (local.get $bound) (f32x4.splat (local.get $least))))
            (local.get $four))))
          (local.set $four (i32.add (local.get $four) (i32.const 4)))
          (br_if $next_four (i32.lt_u (local.get $four) (i32.const 16))))
        (block $done (loop $next_row
          (br_if $done (i32.eqz (local.get $reach)))
          (local.set $row (i32.shl (i32.ctz (local.get $reach)) (i32.const 2)))
          (local.set $at (i32.add (local.get $found) (i32.shl (local.get $count) (i32.const 2))))
          (i32.store (local.get $at) (i32.load offset=192 (i32.add (local.get $block) (local.get $row))))
          (f32.store offset=8192 (local.get $at) (f32.load offset=32 (local.get $row)))
          (f32.store offset=16384 (local.get $at) (f32.load offset=96 (local.get $row)))
          (local.set $count (i32.add (local.get $count) (i32.const 1)))
          (local.set $reach (i32.and (local.get $reach) (i32.sub (local.get $reach) (i32.const 1))))
          (br $next_row)))
        (local.set $block (i32.add (local.get $block) (i32.const 256)))
        (local.set $blocks (i32.sub (local.get $blocks) (i32.const 1)))
        (br_if $next_block (local.get $blocks)))
      (local.set $runs (i32.add (local.get $runs) (i32.const 16)))
      (br_if $next_run (i32.lt_u (local.get $runs) (local.get $end))))
    (local.get $count))

  ;; Writes the code of vector - mean: the bit of each component that is above 0. Its bytes lie 16 apart, as in a
  ;; block. sums receives, as float32, the sums of difference², of difference * mean, of |difference|, and of the
  ;; mean's components with the signs of the difference's.
  ;; vector and mean: float32; bytes: their length, a multiple of 32.
  (func (export "encode")
    (param $vector i32) (param $mean i32) (param $bytes i32) (param $code i32) (param $sums i32)
    (local $difference v128) (local $component v128) (local $above v128)
    (local $squares v128) (local $product v128) (local $sizes v128) (local $signed v128)
    (local $end i32) (local $signs i32) (local $shift i32)
    (local.set $end (i32.add (local.get $vector) (local.get $bytes)))
    (loop $next_four
      (local.set $component (v128.load (local.get $mean)))
      (local.set $difference (f32x4.sub (v128.load (local.get $vector)) (local.get $component)))
      (local.set $above (f32x4.gt (local.get $difference) (v128.const f32x4 0 0 0 0)))
      (local.set $squares (f32x4.add (local.get $squares)
        (f32x4.mul (local.get $difference) (local.get $difference))))
      (local.set $product (f32x4.add (local.get $product)
        (f32x4.mul (local.get $difference) (local.get $component))))
      (local.set $sizes (f32x4.add (local.get $sizes) (f32x4.abs (local.get $difference))))
      (local.set $signed (f32x4.add (local.get $signed) (v128.bitselect
        (local.get $component) (f32x4.neg (local.get $component)) (local.get $above))))
      ;; The second half of a byte overwrites the first, and contains it.
      (local.set $signs (i32.or (i32.shl (i32x4.bitmask (local.get $above)) (local.get $shift))
        (i32.and (local.get $signs) (i32.sub (i32.const 0) (i32.shr_u (local.get $shift) (i32.const 2))))))
      (i32.store8 (local.get $code) (local.get $signs))
      (local.set $code (i32.add (local.get $code) (i32.shl (local.get $shift) (i32.const 2))))
      (local.set $shift (i32.xor (local.get $shift) (i32.const 4)))
      (local.set $mean (i32.add (local.get $mean) (i32.const 16)))
      (local.set $vector (i32.add (local.get $vector) (i32.const 16)))
      (br_if $next_four (i32.lt_u (local.get $vector) (local.get $end))))
    (v128.store (local.get $sums)
      (call $sumsOfFloats (local.get $squares) (local.get $product) (local.get $sizes) (local.get $signed))))

  ;; In each round, multiplies vector with the next factors, then applies a Walsh-Hadamard transform to its first
  ;; width bytes, or in every second round to those from shift on. All are float32.
  ;; bytes: length of vector and of the factors of a round, a multiple of 16; width: 16 times a power of two;
  ;; end: where the factors of the last round end.
  (func (export "rotate")
    (param $vector i32) (param $factors i32) (param $end i32) (param $bytes i32) (param $width i32) (param $shift i32)
    (local $at i32) (local $stop i32) (local $first i32) (local $half i32) (local $pair i32)
    (local $a v128) (local $b v128)
    (local.set $first (local.get $vector))
    (loop $next_round
      (local.set $at (local.get $vector))
      (local.set $stop (i32.add (local.get $vector) (local.get $bytes)))
      (loop $next_product
        (v128.store (local.get $at) (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $factors))))
        (local.set $factors (i32.add (local.get $factors) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next_product (i32.lt_u (local.get $at) (local.get $stop))))
      ;; Neighbours, and those at a distance of two, lie in one piece.
      (local.set $at (local.get $first))
      (local.set $stop (i32.add (local.get $first) (local.get $width)))
      (loop $next_piece
        (local.set $a (v128.load (local.get $at)))
        (local.set $a (f32x4.add
          (i8x16.shuffle 0 1 2 3 0 1 2 3 8 9 10 11 8 9 10 11 (local.get $a) (local.get $a))
          (f32x4.mul (v128.const f32x4 1 -1 1 -1)
            (i8x16.shuffle 4 5 6 7 4 5 6 7 12 13 14 15 12 13 14 15 (local.get $a) (local.get $a)))))
        (v128.store (local.get $at) (f32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 (local.get $a) (local.get $a))
          (f32x4.mul (v128.const f32x4 1 1 -1 -1)
            (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $a) (local.get $a)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next_piece (i32.lt_u (local.get $at) (local.get $stop))))
      (local.set $half (i32.const 16))
      (block $done (loop $next_half
        (br_if $done (i32.ge_u (local.get $half) (local.get $width)))
        (local.set $at (local.get $first))
        (loop $next_group
          (local.set $pair (i32.add (local.get $at) (local.get $half)))
          (loop $next_pair
            (local.set $a (v128.load (local.get $at)))
            (local.set $b (v128.load (local.get $pair)))
            (v128.store (local.get $at) (f32x4.add (local.get $a) (local.get $b)))
            (v128.store (local.get $pair) (f32x4.sub (local.get $a) (local.get $b)))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (local.set $pair (i32.add (local.get $pair) (i32.const 16)))
            (br_if $next_pair (i32.and (i32.sub (local.get $at) (local.get $first))
              (i32.sub (local.get $half) (i32.const 1)))))
          (local.set $at (local.get $pair))
          (br_if $next_group (i32.lt_u (local.get $at) (local.get $stop))))
        (local.set $half (i32.shl (local.get $half) (i32.const 1)))
        (br $next_half)))
      (local.set $first (i32.sub (i32.add (i32.shl (local.get $vector) (i32.const 1)) (local.get $shift)) (local.get $first)))
      (br_if $next_round (i32.lt_u (local.get $factors) (local.get $end)))))

  ;; products[i * width + j] = a(i) · b(j) in float64, where a(i) begins at a + i * stride and b(j) at b + j * stride.
  ;; stride: bytes of a row, a multiple of 16; height: rows of a, a multiple of 2; width: rows of b, a multiple
  ;; of 4. Multiplies two rows with four at a time, so that each loaded piece is used for several products.
  ;; Adds up to 12 products in each lane in float32, and these sums in float64.
  (func (export "multiply")
    (param $a i32) (param $height i32) (param $b i32) (param $width i32)
    (param $stride i32) (param $products i32)
    (local $endOfA i32) (local $endOfB i32) (local $at i32) (local $endOfBlock i32) (local $below i32)
    (local $a1 i32) (local $b0 i32) (local $b1 i32) (local $b2 i32) (local $b3 i32)
    (local $x0 v128) (local $x1 v128) (local $y v128)
    (local $s00 v128) (local $s01 v128) (local $s02 v128) (local $s03 v128)
    (local $s10 v128) (local $s11 v128) (local $s12 v128) (local $s13 v128)
    (local $low0 v128) (local $high0 v128) (local $low1 v128) (local $high1 v128)
    (local.set $endOfA (i32.add (local.get $a) (i32.mul (local.get $height) (local.get $stride))))
    (local.set $endOfB (i32.add (local.get $b) (i32.mul (local.get $width) (local.get $stride))))
    (loop $next_of_a
      (local.set $a1 (i32.add (local.get $a) (local.get $stride)))
      (local.set $below (i32.add (local.get $products) (i32.shl (local.get $width) (i32.const 3))))
      (local.set $b0 (local.get $b))
      (loop $next_of_b
        (local.set $b1 (i32.add (local.get $b0) (local.get $stride)))
        (local.set $b2 (i32.add (local.get $b1) (local.get $stride)))
        (local.set $b3 (i32.add (local.get $b2) (local.get $stride)))
        (local.set $low0 (v128.const i64x2 0 0))
        (local.set $high0 (v128.const i64x2 0 0))
        (local.set $low1 (v128.const i64x2 0 0))
        (local.set $high1 (v128.const i64x2 0 0))
        (local.set $at (i32.const 0))
        (loop $next_block
          (local.set $s00 (v128.const i32x4 0 0 0 0))
          (local.set $s01 (v128.const i32x4 0 0 0 0))
          (local.set $s02 (v128.const i32x4 0 0 0 0))
          (local.set $s03 (v128.const i32x4 0 0 0 0))
          (local.set $s10 (v128.const i32x4 0 0 0 0))
          (local.set $s11 (v128.const i32x4 0 0 0 0))
          (local.set $s12 (v128.const i32x4 0 0 0 0))
          (local.set $s13 (v128.const i32x4 0 0 0 0))
          (local.set $endOfBlock (i32.add (local.get $at) (i32.const 192)))
          (if (i32.gt_u (local.get $endOfBlock) (local.get $stride))
            (then (local.set $endOfBlock (local.get $stride))))
          (loop $next_piece
            (local.set $x0 (v128.load (i32.add (local.get $a) (local.get $at))))
            (local.set $x1 (v128.load (i32.add (local.get $a1) (local.get $at))))
            (local.set $y (v128.load (i32.add (local.get $b0) (local.get $at))))
            (local.set $s00 (f32x4.add (local.get $s00) (f32x4.mul (local.get $x0) (local.get $y))))
            (local.set $s10 (f32x4.add (local.get $s10) (f32x4.mul (local.get $x1) (local.get $y))))
            (local.set $y (v128.load (i32.add (local.get $b1) (local.get $at))))
            (local.set $s01 (f32x4.add (local.get $s01) (f32x4.mul (local.get $x0) (local.get $y))))
            (local.set $s11 (f32x4.add (local.get $s11) (f32x4.mul (local.get $x1) (local.get $y))))
            (local.set $y (v128.load (i32.add (local.get $b2) (local.get $at))))
            (local.set $s02 (f32x4.add (local.get $s02) (f32x4.mul (local.get $x0) (local.get $y))))
            (local.set $s12 (f32x4.add (local.get $s12) (f32x4.mul (local.get $x1) (local.get $y))))
            (local.set $y (v128.load (i32.add (local.get $b3) (local.get $at))))
            (local.set $s03 (f32x4.add (local.get $s03) (f32x4.mul (local.get $x0) (local.get $y))))
            (local.set $s13 (f32x4.add (local.get $s13) (f32x4.mul (local.get $x1) (local.get $y))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br_if $next_piece (i32.lt_u (local.get $at) (local.get $endOfBlock))))
          (local.set $x0
            (call $sumsOfFloats (local.get $s00) (local.get $s01) (local.get $s02) (local.get $s03)))
          (local.set $low0 (f64x2.add (local.get $low0) (f64x2.promote_low_f32x4 (local.get $x0))))
          (local.set $high0 (f64x2.add (local.get $high0) (f64x2.promote_low_f32x4
            (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $x0) (local.get $x0)))))
          (local.set $x1
            (call $sumsOfFloats (local.get $s10) (local.get $s11) (local.get $s12) (local.get $s13)))
          (local.set $low1 (f64x2.add (local.get $low1) (f64x2.promote_low_f32x4 (local.get $x1))))
          (local.set $high1 (f64x2.add (local.get $high1) (f64x2.promote_low_f32x4
            (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $x1) (local.get $x1)))))
          (br_if $next_block (i32.lt_u (local.get $at) (local.get $stride))))
        (v128.store (local.get $products) (local.get $low0))
        (v128.store offset=16 (local.get $products) (local.get $high0))
        (v128.store (local.get $below) (local.get $low1))
        (v128.store offset=16 (local.get $below) (local.get $high1))
        (local.set $products (i32.add (local.get $products) (i32.const 32)))
        (local.set $below (i32.add (local.get $below) (i32.const 32)))
        (local.set $b0 (i32.add (local.get $b3) (local.get $stride)))
        (br_if $next_of_b (i32.lt_u (local.get $b0) (local.get $endOfB))))
      (local.set $products (local.get $below))
      (local.set $a (i32.add (local.get $a1) (local.get $stride)))
      (br_if $next_of_a (i32.lt_u (local.get $a) (local.get $endOfA)))))

  ;; Sums the lanes of each of four vectors.
  (func $sumsOfFloats (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $ab v128) (local $cd v128)
    (local.set $ab (f32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $cd (f32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (f32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ab) (local.get $cd))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ab) (local.get $cd)))))
