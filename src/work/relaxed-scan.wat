;; The scan of recall.wat by relaxed SIMD: sixteen products an instruction, where the processor has one.
;;
;; That instruction takes signed by unsigned of 7 bits, so the query comes as two: what is above 0 and what
;; is below, 16 int8 of each in turn. Their products are exact on every processor, and so is the
;; difference. A vector is `chunks` times 16 int8, padded with zeros.
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
    (local $word v128) (local $above v128) (local $below v128)
    (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $least v128)
    (local.set $stride (i32.shl (local.get $chunks) (i32.const 4)))
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
            (local.set $e (v128.const i32x4 0 0 0 0))
            (local.set $f (v128.const i32x4 0 0 0 0))
            (local.set $g (v128.const i32x4 0 0 0 0))
            (local.set $h (v128.const i32x4 0 0 0 0))
            (loop $chunk
              (local.set $above (v128.load (local.get $q)))
              (local.set $below (v128.load offset=16 (local.get $q)))
              (local.set $word (v128.load (local.get $at)))
              (local.set $a
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $above) (local.get $a)))
              (local.set $e
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $below) (local.get $e)))
              (local.set $word (v128.load (local.get $at1)))
              (local.set $b
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $above) (local.get $b)))
              (local.set $f
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $below) (local.get $f)))
              (local.set $word (v128.load (local.get $at2)))
              (local.set $c
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $above) (local.get $c)))
              (local.set $g
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $below) (local.get $g)))
              (local.set $word (v128.load (local.get $at3)))
              (local.set $d
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $above) (local.get $d)))
              (local.set $h
                (i32x4.relaxed_dot_i8x16_i7x16_add_s
                  (local.get $word) (local.get $below) (local.get $h)))
              (local.set $q (i32.add (local.get $q) (i32.const 32)))
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (local.set $at1 (i32.add (local.get $at1) (i32.const 16)))
              (local.set $at2 (i32.add (local.get $at2) (i32.const 16)))
              (local.set $at3 (i32.add (local.get $at3) (i32.const 16)))
              (br_if $chunk (i32.lt_u (local.get $at) (local.get $end))))
            (local.set $a (i32x4.sub (local.get $a) (local.get $e)))
            (local.set $b (i32x4.sub (local.get $b) (local.get $f)))
            (local.set $c (i32x4.sub (local.get $c) (local.get $g)))
            (local.set $d (i32x4.sub (local.get $d) (local.get $h)))
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
    (local.get $row)))
