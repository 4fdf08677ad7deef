// Particles by the handful: a vector of QUADS particles, four lanes each, for what moves them
// (move_simd.c). Lanes of one particle never meet those of another, so each gets the bits that it
// would get alone. Without one of the wide instruction sets QUADS is 1.
#ifndef RV_SPLAT_QUADS_H
#define RV_SPLAT_QUADS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define QUAD_INLINE static inline __attribute__((always_inline))

// One line an operation, so that the forms can be compared line by line. `halves`: lanes 0 and 1 of
// the first, 2 and 3 of the second; `weave`: 0 and 2, 1 and 3; `last`: 0 to 2, and 3. `spread`: one
// number for each particle, in all its lanes; `each`: from so many places, `stride` floats apart
// where that is given.
// clang-format off

#if defined(__AVX512F__)

#include <immintrin.h>
#define QUADS 4
typedef __m512 quads;
typedef __m512i quad_ints;
typedef __mmask16 quad_mask;
QUAD_INLINE quads quads_set(float a) { return _mm512_set1_ps(a); }
QUAD_INLINE quads quads_same(const float a[4]) { return _mm512_broadcast_f32x4(_mm_loadu_ps(a)); }
QUAD_INLINE quads quads_load(const float *p) { return _mm512_loadu_ps(p); }
QUAD_INLINE void quads_store(float *p, quads a) { _mm512_storeu_ps(p, a); }
QUAD_INLINE quads quads_max(quads a, quads b) { return _mm512_max_ps(a, b); }
QUAD_INLINE quad_mask quads_above(quads a, quads b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
QUAD_INLINE quad_mask quads_differ(quads a, quads b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
QUAD_INLINE quads quads_pick(quad_mask m, quads a, quads b) { return _mm512_mask_blend_ps(m, b, a); }
QUAD_INLINE int quads_any(quad_mask m) { return m != 0; }
QUAD_INLINE quads quads_halves(quads a, quads b) { return _mm512_mask_blend_ps(0xcccc, a, b); }
QUAD_INLINE quads quads_weave(quads a, quads b) { return _mm512_mask_blend_ps(0xaaaa, a, b); }
QUAD_INLINE quads quads_last(quads a, quads b) { return _mm512_mask_blend_ps(0x8888, a, b); }
#define QUAD_TURN(a, i, j, k, l) _mm512_permute_ps(a, (i) | (j) << 2 | (k) << 4 | (l) << 6)
#define QUAD_TURN_INTS(a, i, j, k, l) _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)((i) | (j) << 2 | (k) << 4 | (l) << 6))
QUAD_INLINE quad_ints quads_whole(quads a) { return _mm512_cvttps_epi32(a); }
QUAD_INLINE quads quads_float(quad_ints a) { return _mm512_cvtepi32_ps(a); }
QUAD_INLINE quad_ints quad_ints_same(const int32_t a[4]) { return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)a)); }
QUAD_INLINE quad_ints quad_ints_add(quad_ints a, quad_ints b) { return _mm512_add_epi32(a, b); }
QUAD_INLINE quad_ints quad_ints_mul(quad_ints a, quad_ints b) { return _mm512_mullo_epi32(a, b); }
QUAD_INLINE void quad_ints_store(int32_t *p, quad_ints a) { _mm512_storeu_si512(p, a); }
QUAD_INLINE quads quads_each(const float *const p[QUADS], ptrdiff_t off)
{
    quads a = _mm512_castps128_ps512(_mm_loadu_ps(p[0] + off));
    a = _mm512_insertf32x4(a, _mm_loadu_ps(p[1] + off), 1);
    a = _mm512_insertf32x4(a, _mm_loadu_ps(p[2] + off), 2);
    return _mm512_insertf32x4(a, _mm_loadu_ps(p[3] + off), 3);
}
QUAD_INLINE void quads_store_each(float *p, ptrdiff_t stride, quads a)
{
    _mm_storeu_ps(p, _mm512_castps512_ps128(a));
    _mm_storeu_ps(p + stride, _mm512_extractf32x4_ps(a, 1));
    _mm_storeu_ps(p + 2 * stride, _mm512_extractf32x4_ps(a, 2));
    _mm_storeu_ps(p + 3 * stride, _mm512_extractf32x4_ps(a, 3));
}

#elif defined(__AVX2__)

#include <immintrin.h>
#define QUADS 2
typedef __m256 quads;
typedef __m256i quad_ints;
typedef __m256 quad_mask;
QUAD_INLINE quads quads_set(float a) { return _mm256_set1_ps(a); }
QUAD_INLINE quads quads_same(const float a[4]) { return _mm256_broadcast_ps((const __m128 *)(const void *)a); }
QUAD_INLINE quads quads_load(const float *p) { return _mm256_loadu_ps(p); }
QUAD_INLINE void quads_store(float *p, quads a) { _mm256_storeu_ps(p, a); }
QUAD_INLINE quads quads_max(quads a, quads b) { return _mm256_max_ps(a, b); }
QUAD_INLINE quad_mask quads_above(quads a, quads b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
QUAD_INLINE quad_mask quads_differ(quads a, quads b) { return _mm256_cmp_ps(a, b, _CMP_NEQ_UQ); }
QUAD_INLINE quads quads_pick(quad_mask m, quads a, quads b) { return _mm256_blendv_ps(b, a, m); }
QUAD_INLINE int quads_any(quad_mask m) { return _mm256_movemask_ps(m) != 0; }
QUAD_INLINE quads quads_halves(quads a, quads b) { return _mm256_blend_ps(a, b, 0xcc); }
QUAD_INLINE quads quads_weave(quads a, quads b) { return _mm256_blend_ps(a, b, 0xaa); }
QUAD_INLINE quads quads_last(quads a, quads b) { return _mm256_blend_ps(a, b, 0x88); }
#define QUAD_TURN(a, i, j, k, l) _mm256_permute_ps(a, (i) | (j) << 2 | (k) << 4 | (l) << 6)
#define QUAD_TURN_INTS(a, i, j, k, l) _mm256_shuffle_epi32(a, (i) | (j) << 2 | (k) << 4 | (l) << 6)
QUAD_INLINE quad_ints quads_whole(quads a) { return _mm256_cvttps_epi32(a); }
QUAD_INLINE quads quads_float(quad_ints a) { return _mm256_cvtepi32_ps(a); }
QUAD_INLINE quad_ints quad_ints_same(const int32_t a[4]) { return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)a)); }
QUAD_INLINE quad_ints quad_ints_add(quad_ints a, quad_ints b) { return _mm256_add_epi32(a, b); }
QUAD_INLINE quad_ints quad_ints_mul(quad_ints a, quad_ints b) { return _mm256_mullo_epi32(a, b); }
QUAD_INLINE void quad_ints_store(int32_t *p, quad_ints a) { _mm256_storeu_si256((__m256i *)(void *)p, a); }
QUAD_INLINE quads quads_each(const float *const p[QUADS], ptrdiff_t off)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p[0] + off)), _mm_loadu_ps(p[1] + off), 1);
}
QUAD_INLINE void quads_store_each(float *p, ptrdiff_t stride, quads a)
{
    _mm_storeu_ps(p, _mm256_castps256_ps128(a));
    _mm_storeu_ps(p + stride, _mm256_extractf128_ps(a, 1));
}

#else

#define QUADS 1
typedef float quads __attribute__((vector_size(16)));
typedef float quads_anywhere __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t quad_ints __attribute__((vector_size(16)));
typedef int32_t quad_ints_anywhere __attribute__((vector_size(16), aligned(4), may_alias));
typedef quad_ints quad_mask;
#if defined(__clang__)
#define QUAD_TURN(a, i, j, k, l) __builtin_shufflevector(a, a, i, j, k, l)
#else
#define QUAD_TURN(a, i, j, k, l) __builtin_shuffle(a, (quad_ints){i, j, k, l})
#endif
#define QUAD_TURN_INTS QUAD_TURN
QUAD_INLINE quads quads_set(float a) { return (quads){a, a, a, a}; }
QUAD_INLINE quads quads_load(const float *p) { return *(const quads_anywhere *)(const void *)p; }
QUAD_INLINE quads quads_same(const float a[4]) { return quads_load(a); }
QUAD_INLINE void quads_store(float *p, quads a) { *(quads_anywhere *)(void *)p = a; }
QUAD_INLINE quad_mask quads_above(quads a, quads b) { return a > b; }
QUAD_INLINE quad_mask quads_differ(quads a, quads b) { return a != b; }
QUAD_INLINE quads quads_pick(quad_mask m, quads a, quads b) { return (quads)(((quad_ints)a & m) | ((quad_ints)b & ~m)); }
QUAD_INLINE quads quads_max(quads a, quads b) { return quads_pick(a > b, a, b); }
QUAD_INLINE int quads_any(quad_mask m) { m |= QUAD_TURN(m, 2, 3, 0, 1); return (m[0] | m[1]) != 0; }
QUAD_INLINE quads quads_halves(quads a, quads b) { return quads_pick((quad_ints){-1, -1, 0, 0}, a, b); }
QUAD_INLINE quads quads_weave(quads a, quads b) { return quads_pick((quad_ints){-1, 0, -1, 0}, a, b); }
QUAD_INLINE quads quads_last(quads a, quads b) { return quads_pick((quad_ints){-1, -1, -1, 0}, a, b); }
QUAD_INLINE quad_ints quads_whole(quads a) { return __builtin_convertvector(a, quad_ints); }
QUAD_INLINE quads quads_float(quad_ints a) { return __builtin_convertvector(a, quads); }
QUAD_INLINE quad_ints quad_ints_same(const int32_t a[4]) { return *(const quad_ints_anywhere *)(const void *)a; }
QUAD_INLINE quad_ints quad_ints_add(quad_ints a, quad_ints b) { return a + b; }
QUAD_INLINE quad_ints quad_ints_mul(quad_ints a, quad_ints b) { return a * b; }
QUAD_INLINE void quad_ints_store(int32_t *p, quad_ints a) { *(quad_ints_anywhere *)(void *)p = a; }
QUAD_INLINE quads quads_each(const float *const p[QUADS], ptrdiff_t off) { return quads_load(p[0] + off); }
QUAD_INLINE void quads_store_each(float *p, ptrdiff_t stride, quads a) { (void)stride, quads_store(p, a); }

#endif

// clang-format on

#endif
