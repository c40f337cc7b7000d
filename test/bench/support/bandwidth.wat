;; Reads `bytes` (a multiple of 64) from `at` on as fast as one thread can: the sum of their 32-bit lanes.
(module
  (import "grove" "memory" (memory 0))
  (func (export "read") (param $at i32) (param $bytes i32) (result i32)
    (local $end i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $at) (local.get $bytes)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $a (i32x4.add (local.get $a) (v128.load (local.get $at))))
        (local.set $b (i32x4.add (local.get $b) (v128.load offset=16 (local.get $at))))
        (local.set $c (i32x4.add (local.get $c) (v128.load offset=32 (local.get $at))))
        (local.set $d (i32x4.add (local.get $d) (v128.load offset=48 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $next)))
    (local.set $a
      (i32x4.add
        (i32x4.add (local.get $a) (local.get $b))
        (i32x4.add (local.get $c) (local.get $d))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
      (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a))))))
