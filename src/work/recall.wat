;; What recall spends its time on, for one segment of rows: scanning quantised vectors, adding up what words
;; are worth, and gathering the rows that reach a score. What each promises is written down in
;; core/recall/index/kernel.ts, beside the plain ones.
;;
;; A vector is `chunks` times 8 int8, padded with zeros; the query lies widened to int16. Four rows are
;; scored at once, so that their sums meet in one vector and one comparison tells whether any is a hit.
(module
  (import "grove" "memory" (memory 0))

  ;; Scans rows [from, to), both multiples of 4, and stops early where `most` hits do not hold another
  ;; four. Writes each hit as (row: i32, dot: i32) from `hits` + 8 on, their number to `hits`, and
  ;; returns the row it came to.
  (func (export "scan")
    (param $vectors i32) (param $scales i32) (param $bits i32) (param $query i32) (param $chunks i32)
    (param $from i32) (param $to i32) (param $threshold f32) (param $hits i32) (param $most i32)
    (result i32)
    (local $stride i32) (local $out i32) (local $last i32) (local $row i32) (local $wanted i32)
    (local $mask i32) (local $at i32) (local $at1 i32) (local $at2 i32) (local $at3 i32) (local $end i32) (local $q i32)
    (local $word v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $least v128)
    (local.set $stride (i32.shl (local.get $chunks) (i32.const 3)))
    (local.set $out (i32.add (local.get $hits) (i32.const 8)))
    (local.set $last
      (i32.add (local.get $out) (i32.shl (i32.sub (local.get $most) (i32.const 4)) (i32.const 3))))
    (local.set $least (f32x4.splat (local.get $threshold)))
    (local.set $row (local.get $from))
    (block $done
      (loop $fours
        (br_if $done (i32.ge_u (local.get $row) (local.get $to)))
        (br_if $done (i32.gt_u (local.get $out) (local.get $last)))
        ;; Four rows' bits of one byte; rows nobody asks for are not even read.
        (local.set $wanted
          (i32.and
            (i32.shr_u
              (i32.load8_u (i32.add (local.get $bits) (i32.shr_u (local.get $row) (i32.const 3))))
              (i32.and (local.get $row) (i32.const 4)))
            (i32.const 15)))
        (if (local.get $wanted)
          (then
            (local.set $at
              (i32.add (local.get $vectors) (i32.mul (local.get $row) (local.get $stride))))
            (local.set $end (i32.add (local.get $at) (local.get $stride)))
            (local.set $at1 (local.get $end))
            (local.set $at2 (i32.add (local.get $at1) (local.get $stride)))
            (local.set $at3 (i32.add (local.get $at2) (local.get $stride)))
            (local.set $q (local.get $query))
            (local.set $a (v128.const i32x4 0 0 0 0))
            (local.set $b (v128.const i32x4 0 0 0 0))
            (local.set $c (v128.const i32x4 0 0 0 0))
            (local.set $d (v128.const i32x4 0 0 0 0))
            (loop $chunk
              (local.set $word (v128.load (local.get $q)))
              (local.set $a
                (i32x4.add (local.get $a)
                  (i32x4.dot_i16x8_s (local.get $word) (v128.load8x8_s (local.get $at)))))
              (local.set $b
                (i32x4.add (local.get $b)
                  (i32x4.dot_i16x8_s (local.get $word) (v128.load8x8_s (local.get $at1)))))
              (local.set $c
                (i32x4.add (local.get $c)
                  (i32x4.dot_i16x8_s (local.get $word) (v128.load8x8_s (local.get $at2)))))
              (local.set $d
                (i32x4.add (local.get $d)
                  (i32x4.dot_i16x8_s (local.get $word) (v128.load8x8_s (local.get $at3)))))
              (local.set $q (i32.add (local.get $q) (i32.const 16)))
              (local.set $at (i32.add (local.get $at) (i32.const 8)))
              (local.set $at1 (i32.add (local.get $at1) (i32.const 8)))
              (local.set $at2 (i32.add (local.get $at2) (i32.const 8)))
              (local.set $at3 (i32.add (local.get $at3) (i32.const 8)))
              (br_if $chunk (i32.lt_u (local.get $at) (local.get $end))))
            ;; [a0+a1 a2+a3 b0+b1 b2+b3] and the same of c and d, then once more: [a b c d].
            (local.set $a
              (i32x4.add
                (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $b))
                (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $b))))
            (local.set $c
              (i32x4.add
                (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $c) (local.get $d))
                (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $c) (local.get $d))))
            (local.set $a
              (i32x4.add
                (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $c))
                (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $c))))
            (local.set $mask
              (i32.and
                (local.get $wanted)
                (i32x4.bitmask
                  (f32x4.ge
                    (f32x4.mul
                      (f32x4.convert_i32x4_s (local.get $a))
                      (v128.load (i32.add (local.get $scales) (i32.shl (local.get $row) (i32.const 2)))))
                    (local.get $least)))))
            (if (local.get $mask)
              (then
                (if (i32.and (local.get $mask) (i32.const 1))
                  (then
                    (i32.store (local.get $out) (local.get $row))
                    (i32.store offset=4 (local.get $out) (i32x4.extract_lane 0 (local.get $a)))
                    (local.set $out (i32.add (local.get $out) (i32.const 8)))))
                (if (i32.and (local.get $mask) (i32.const 2))
                  (then
                    (i32.store (local.get $out) (i32.add (local.get $row) (i32.const 1)))
                    (i32.store offset=4 (local.get $out) (i32x4.extract_lane 1 (local.get $a)))
                    (local.set $out (i32.add (local.get $out) (i32.const 8)))))
                (if (i32.and (local.get $mask) (i32.const 4))
                  (then
                    (i32.store (local.get $out) (i32.add (local.get $row) (i32.const 2)))
                    (i32.store offset=4 (local.get $out) (i32x4.extract_lane 2 (local.get $a)))
                    (local.set $out (i32.add (local.get $out) (i32.const 8)))))
                (if (i32.and (local.get $mask) (i32.const 8))
                  (then
                    (i32.store (local.get $out) (i32.add (local.get $row) (i32.const 3)))
                    (i32.store offset=4 (local.get $out) (i32x4.extract_lane 3 (local.get $a)))
                    (local.set $out (i32.add (local.get $out) (i32.const 8)))))))))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (br $fours)))
    (i32.store (local.get $hits)
      (i32.shr_u
        (i32.sub (local.get $out) (i32.add (local.get $hits) (i32.const 8)))
        (i32.const 3)))
    (local.get $row))

  ;; Sets the norms of the rows below `to`, a multiple of 4, to base + perLength × length, and their scores
  ;; to 0; all three are f32 by row.
  (func (export "begin")
    (param $lengths i32) (param $norms i32) (param $scores i32) (param $to i32)
    (param $base f32) (param $perLength f32)
    (local $end i32) (local $constant v128) (local $factor v128)
    (memory.fill
      (local.get $scores) (i32.const 0) (i32.shl (local.get $to) (i32.const 2)))
    (local.set $end (i32.add (local.get $lengths) (i32.shl (local.get $to) (i32.const 2))))
    (local.set $constant (f32x4.splat (local.get $base)))
    (local.set $factor (f32x4.splat (local.get $perLength)))
    (block $done
      (loop $fours
        (br_if $done (i32.ge_u (local.get $lengths) (local.get $end)))
        (v128.store (local.get $norms)
          (f32x4.add
            (local.get $constant)
            (f32x4.mul (local.get $factor) (v128.load (local.get $lengths)))))
        (local.set $lengths (i32.add (local.get $lengths) (i32.const 16)))
        (local.set $norms (i32.add (local.get $norms) (i32.const 16)))
        (br $fours))))

  ;; Adds factor × count ÷ (count + norm) to the score of each of `size` rows (u16), which hold a word
  ;; `count` (u8) times. Norms and scores are f32 by row, and lie where the layout says (kernel.ts): 57344
  ;; and 24576. Four rows at a time share one division.
  (func (export "accumulate")
    (param $rows i32) (param $counts i32) (param $size i32) (param $factor f32)
    (local $end i32) (local $count f32)
    (local $o0 i32) (local $o1 i32) (local $o2 i32) (local $o3 i32)
    (local $norm v128) (local $share v128) (local $factors v128)
    (local.set $factors (f32x4.splat (local.get $factor)))
    (local.set $end
      (i32.add (local.get $counts) (i32.and (local.get $size) (i32.const 0x7ffffffc))))
    (block $few
      (loop $fours
        (br_if $few (i32.ge_u (local.get $counts) (local.get $end)))
        (local.set $o0
          (i32.shl (i32.load16_u (local.get $rows)) (i32.const 2)))
        (local.set $o1
          (i32.shl (i32.load16_u offset=2 (local.get $rows)) (i32.const 2)))
        (local.set $o2
          (i32.shl (i32.load16_u offset=4 (local.get $rows)) (i32.const 2)))
        (local.set $o3
          (i32.shl (i32.load16_u offset=6 (local.get $rows)) (i32.const 2)))
        (local.set $norm (v128.load32_zero offset=57344 (local.get $o0)))
        (local.set $norm
          (v128.load32_lane offset=57344 1 (local.get $o1) (local.get $norm)))
        (local.set $norm
          (v128.load32_lane offset=57344 2 (local.get $o2) (local.get $norm)))
        (local.set $norm
          (v128.load32_lane offset=57344 3 (local.get $o3) (local.get $norm)))
        (local.set $share
          (f32x4.convert_i32x4_s
            (i32x4.extend_low_i16x8_u
              (i16x8.extend_low_i8x16_u (v128.load32_zero (local.get $counts))))))
        (local.set $share
          (f32x4.div
            (f32x4.mul (local.get $factors) (local.get $share))
            (f32x4.add (local.get $share) (local.get $norm))))
        (f32.store offset=24576 (local.get $o0)
          (f32.add
            (f32.load offset=24576 (local.get $o0))
            (f32x4.extract_lane 0 (local.get $share))))
        (f32.store offset=24576 (local.get $o1)
          (f32.add
            (f32.load offset=24576 (local.get $o1))
            (f32x4.extract_lane 1 (local.get $share))))
        (f32.store offset=24576 (local.get $o2)
          (f32.add
            (f32.load offset=24576 (local.get $o2))
            (f32x4.extract_lane 2 (local.get $share))))
        (f32.store offset=24576 (local.get $o3)
          (f32.add
            (f32.load offset=24576 (local.get $o3))
            (f32x4.extract_lane 3 (local.get $share))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 8)))
        (local.set $counts (i32.add (local.get $counts) (i32.const 4)))
        (br $fours)))
    (local.set $end
      (i32.add (local.get $counts) (i32.and (local.get $size) (i32.const 3))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $counts) (local.get $end)))
        (local.set $o0 (i32.shl (i32.load16_u (local.get $rows)) (i32.const 2)))
        (local.set $count (f32.convert_i32_s (i32.load8_u (local.get $counts))))
        (f32.store offset=24576 (local.get $o0)
          (f32.add
            (f32.load offset=24576 (local.get $o0))
            (f32.div
              (f32.mul (local.get $factor) (local.get $count))
              (f32.add (local.get $count) (f32.load offset=57344 (local.get $o0))))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 2)))
        (local.set $counts (i32.add (local.get $counts) (i32.const 1)))
        (br $next))))

  ;; Writes the rows (u16) below `to`, a multiple of 4, whose bit is set and whose score is at least
  ;; `least`; returns how many there are.
  (func (export "collect")
    (param $scores i32) (param $bits i32) (param $to i32) (param $least f32) (param $out i32)
    (result i32)
    (local $row i32) (local $mask i32) (local $from i32) (local $wanted v128)
    (local.set $from (local.get $out))
    (local.set $wanted (f32x4.splat (local.get $least)))
    (block $done
      (loop $fours
        (br_if $done (i32.ge_u (local.get $row) (local.get $to)))
        (local.set $mask
          (i32x4.bitmask
            (f32x4.ge
              (v128.load (i32.add (local.get $scores) (i32.shl (local.get $row) (i32.const 2))))
              (local.get $wanted))))
        (if (local.get $mask)
          (then
            (local.set $mask
              (i32.and
                (local.get $mask)
                (i32.shr_u
                  (i32.load8_u (i32.add (local.get $bits) (i32.shr_u (local.get $row) (i32.const 3))))
                  (i32.and (local.get $row) (i32.const 4)))))
            (block $none
              (loop $lanes
                (br_if $none (i32.eqz (local.get $mask)))
                (i32.store16 (local.get $out)
                  (i32.add (local.get $row) (i32.ctz (local.get $mask))))
                (local.set $out (i32.add (local.get $out) (i32.const 2)))
                (local.set $mask
                  (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
                (br $lanes)))))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (br $fours)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $from)) (i32.const 1))))
