// Floats by the handful: rv_f is as many floats as this file's instruction set holds (RV_LANES), or
// one. Sums and products are plain + - * /. Files that define RV_SIMD before including this get the
// vector form; all others, and machines without one, get plain floats. Every form gives the same bits.
// Vectors only: `evens` has in each odd lane the lane before it, `evens_after` the lane after it, which
// for the last one is the first of b; the even lanes hold anything. `behind` is b one lane further up,
// behind the last of a.
#ifndef RV_BASE_SIMD_H
#define RV_BASE_SIMD_H

#include <stdint.h>

// One line an operation, so that the forms can be compared line by line.
// clang-format off

#define RV_INLINE static inline __attribute__((always_inline))

#if defined(RV_SIMD) && defined(__AVX512F__)

#include <immintrin.h>
#define RV_LANES 16
typedef __m512 rv_f;
typedef __mmask16 rv_mask;
typedef __m512i rv_i;
RV_INLINE rv_i rv_i_set(int32_t a) { return _mm512_set1_epi32(a); }
RV_INLINE rv_i rv_i_of(rv_f a) { return _mm512_castps_si512(a); }
RV_INLINE rv_f rv_f_of(rv_i a) { return _mm512_castsi512_ps(a); }
RV_INLINE rv_i rv_i_add(rv_i a, rv_i b) { return _mm512_add_epi32(a, b); }
RV_INLINE rv_i rv_i_sub(rv_i a, rv_i b) { return _mm512_sub_epi32(a, b); }
RV_INLINE rv_i rv_i_mul(rv_i a, rv_i b) { return _mm512_mullo_epi32(a, b); }
RV_INLINE rv_i rv_i_xor(rv_i a, rv_i b) { return _mm512_xor_si512(a, b); }
RV_INLINE rv_i rv_i_and(rv_i a, rv_i b) { return _mm512_and_si512(a, b); }
RV_INLINE rv_i rv_i_up7(rv_i a) { return _mm512_slli_epi32(a, 7); }
RV_INLINE rv_f rv_f_from(rv_i a) { return _mm512_cvtepi32_ps(a); }
RV_INLINE rv_f rv_f_set(float a) { return _mm512_set1_ps(a); }
RV_INLINE rv_f rv_f_load(const float *p) { return _mm512_loadu_ps(p); }
RV_INLINE void rv_f_store(float *p, rv_f a) { _mm512_storeu_ps(p, a); }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return _mm512_max_ps(a, b); }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return _mm512_min_ps(a, b); }
RV_INLINE rv_f rv_f_sqrt(rv_f a) { return _mm512_sqrt_ps(a); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b) { return _mm512_mask_blend_ps(m, b, a); }
RV_INLINE int rv_any(rv_mask m) { return m != 0; }
RV_INLINE rv_f rv_f_bits(int32_t a) { return _mm512_castsi512_ps(_mm512_set1_epi32(a)); }
RV_INLINE rv_f rv_f_and(rv_f a, rv_f b) { return _mm512_and_ps(a, b); }
RV_INLINE rv_f rv_f_or(rv_f a, rv_f b) { return _mm512_or_ps(a, b); }
RV_INLINE rv_f rv_f_evens(rv_f a) { return _mm512_moveldup_ps(a); }
RV_INLINE rv_f rv_f_behind(rv_f a, rv_f b) { return rv_f_of(_mm512_alignr_epi32(rv_i_of(b), rv_i_of(a), 15)); }
RV_INLINE rv_f rv_f_evens_after(rv_f a, rv_f b) { return _mm512_moveldup_ps(rv_f_of(_mm512_alignr_epi32(rv_i_of(b), rv_i_of(a), 2))); }
RV_INLINE rv_i rv_i_load(const int32_t *p) { return _mm512_loadu_si512(p); }
RV_INLINE rv_i rv_i_gather(const int32_t *p, rv_i at) { return _mm512_i32gather_epi32(at, p, 4); }
RV_INLINE rv_f rv_f_gather(const float *p, rv_i at) { return _mm512_i32gather_ps(at, p, 4); }
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p)));
}
RV_INLINE rv_f rv_f_load_s16(const int16_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p)));
}

#elif defined(RV_SIMD) && defined(__AVX2__)

#include <immintrin.h>
#define RV_LANES 8
typedef __m256 rv_f;
typedef __m256 rv_mask;
typedef __m256i rv_i;
RV_INLINE rv_i rv_i_set(int32_t a) { return _mm256_set1_epi32(a); }
RV_INLINE rv_i rv_i_of(rv_f a) { return _mm256_castps_si256(a); }
RV_INLINE rv_f rv_f_of(rv_i a) { return _mm256_castsi256_ps(a); }
RV_INLINE rv_i rv_i_add(rv_i a, rv_i b) { return _mm256_add_epi32(a, b); }
RV_INLINE rv_i rv_i_sub(rv_i a, rv_i b) { return _mm256_sub_epi32(a, b); }
RV_INLINE rv_i rv_i_mul(rv_i a, rv_i b) { return _mm256_mullo_epi32(a, b); }
RV_INLINE rv_i rv_i_xor(rv_i a, rv_i b) { return _mm256_xor_si256(a, b); }
RV_INLINE rv_i rv_i_and(rv_i a, rv_i b) { return _mm256_and_si256(a, b); }
RV_INLINE rv_i rv_i_up7(rv_i a) { return _mm256_slli_epi32(a, 7); }
RV_INLINE rv_f rv_f_from(rv_i a) { return _mm256_cvtepi32_ps(a); }
RV_INLINE rv_f rv_f_set(float a) { return _mm256_set1_ps(a); }
RV_INLINE rv_f rv_f_load(const float *p) { return _mm256_loadu_ps(p); }
RV_INLINE void rv_f_store(float *p, rv_f a) { _mm256_storeu_ps(p, a); }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return _mm256_max_ps(a, b); }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return _mm256_min_ps(a, b); }
RV_INLINE rv_f rv_f_sqrt(rv_f a) { return _mm256_sqrt_ps(a); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b) { return _mm256_blendv_ps(b, a, m); }
RV_INLINE int rv_any(rv_mask m) { return _mm256_movemask_ps(m) != 0; }
RV_INLINE rv_f rv_f_bits(int32_t a) { return _mm256_castsi256_ps(_mm256_set1_epi32(a)); }
RV_INLINE rv_f rv_f_and(rv_f a, rv_f b) { return _mm256_and_ps(a, b); }
RV_INLINE rv_f rv_f_or(rv_f a, rv_f b) { return _mm256_or_ps(a, b); }
RV_INLINE rv_f rv_f_evens(rv_f a) { return _mm256_moveldup_ps(a); }
RV_INLINE rv_f rv_f_behind(rv_f a, rv_f b) { return rv_f_of(_mm256_alignr_epi8(rv_i_of(b), _mm256_permute2x128_si256(rv_i_of(a), rv_i_of(b), 0x21), 12)); }
RV_INLINE rv_f rv_f_evens_after(rv_f a, rv_f b) { return _mm256_shuffle_ps(a, _mm256_permute2f128_ps(a, b, 0x21), _MM_SHUFFLE(0, 0, 2, 2)); }
RV_INLINE rv_i rv_i_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
RV_INLINE rv_i rv_i_gather(const int32_t *p, rv_i at) { return _mm256_i32gather_epi32(p, at, 4); }
RV_INLINE rv_f rv_f_gather(const float *p, rv_i at) { return _mm256_i32gather_ps(p, at, 4); }
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}
RV_INLINE rv_f rv_f_load_s16(const int16_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}

#elif defined(RV_SIMD) && defined(__SSE2__)

#include <emmintrin.h>
#define RV_LANES 4
typedef __m128 rv_f;
typedef __m128 rv_mask;
typedef __m128i rv_i;
RV_INLINE rv_i rv_i_set(int32_t a) { return _mm_set1_epi32(a); }
RV_INLINE rv_i rv_i_of(rv_f a) { return _mm_castps_si128(a); }
RV_INLINE rv_f rv_f_of(rv_i a) { return _mm_castsi128_ps(a); }
RV_INLINE rv_i rv_i_add(rv_i a, rv_i b) { return _mm_add_epi32(a, b); }
RV_INLINE rv_i rv_i_sub(rv_i a, rv_i b) { return _mm_sub_epi32(a, b); }
// SSE2 multiplies two lanes at a time, to 64 bits.
RV_INLINE rv_i rv_i_mul(rv_i a, rv_i b)
{
    __m128i even = _mm_mul_epu32(a, b);
    __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, _MM_SHUFFLE(0, 0, 2, 0)),
                              _mm_shuffle_epi32(odd, _MM_SHUFFLE(0, 0, 2, 0)));
}
RV_INLINE rv_i rv_i_xor(rv_i a, rv_i b) { return _mm_xor_si128(a, b); }
RV_INLINE rv_i rv_i_and(rv_i a, rv_i b) { return _mm_and_si128(a, b); }
RV_INLINE rv_i rv_i_up7(rv_i a) { return _mm_slli_epi32(a, 7); }
RV_INLINE rv_f rv_f_from(rv_i a) { return _mm_cvtepi32_ps(a); }
RV_INLINE rv_f rv_f_set(float a) { return _mm_set1_ps(a); }
RV_INLINE rv_f rv_f_load(const float *p) { return _mm_loadu_ps(p); }
RV_INLINE void rv_f_store(float *p, rv_f a) { _mm_storeu_ps(p, a); }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return _mm_max_ps(a, b); }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return _mm_min_ps(a, b); }
RV_INLINE rv_f rv_f_sqrt(rv_f a) { return _mm_sqrt_ps(a); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return _mm_cmpgt_ps(a, b); }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b)
{
    return _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b));
}
RV_INLINE int rv_any(rv_mask m) { return _mm_movemask_ps(m) != 0; }
RV_INLINE rv_f rv_f_bits(int32_t a) { return _mm_castsi128_ps(_mm_set1_epi32(a)); }
RV_INLINE rv_f rv_f_and(rv_f a, rv_f b) { return _mm_and_ps(a, b); }
RV_INLINE rv_f rv_f_or(rv_f a, rv_f b) { return _mm_or_ps(a, b); }
RV_INLINE rv_f rv_f_evens(rv_f a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 2, 0, 0)); }
RV_INLINE rv_f rv_f_behind(rv_f a, rv_f b) { return _mm_shuffle_ps(_mm_shuffle_ps(a, b, _MM_SHUFFLE(0, 0, 3, 3)), b, _MM_SHUFFLE(2, 1, 2, 0)); }
RV_INLINE rv_f rv_f_evens_after(rv_f a, rv_f b) { return _mm_shuffle_ps(a, b, _MM_SHUFFLE(0, 0, 2, 2)); }
RV_INLINE rv_i rv_i_load(const int32_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
RV_INLINE rv_i rv_i_gather(const int32_t *p, rv_i at)
{
    int32_t k[4];
    _mm_storeu_si128((__m128i *)(void *)k, at);
    return _mm_setr_epi32(p[k[0]], p[k[1]], p[k[2]], p[k[3]]);
}
RV_INLINE rv_f rv_f_gather(const float *p, rv_i at)
{
    int32_t k[4];
    _mm_storeu_si128((__m128i *)(void *)k, at);
    return _mm_setr_ps(p[k[0]], p[k[1]], p[k[2]], p[k[3]]);
}
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p)
{
    __m128i words = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, _mm_setzero_si128()));
}
RV_INLINE rv_f rv_f_load_s16(const int16_t *p)
{
    __m128i words = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(words, words), 16));
}

#elif defined(RV_SIMD) && defined(__wasm_simd128__)

#include <wasm_simd128.h>
#define RV_LANES 4
typedef float rv_f __attribute__((vector_size(16)));
typedef v128_t rv_mask;
typedef v128_t rv_i;
RV_INLINE rv_i rv_i_set(int32_t a) { return wasm_i32x4_splat(a); }
RV_INLINE rv_i rv_i_of(rv_f a) { return (v128_t)a; }
RV_INLINE rv_f rv_f_of(rv_i a) { return (rv_f)a; }
RV_INLINE rv_i rv_i_add(rv_i a, rv_i b) { return wasm_i32x4_add(a, b); }
RV_INLINE rv_i rv_i_sub(rv_i a, rv_i b) { return wasm_i32x4_sub(a, b); }
RV_INLINE rv_i rv_i_mul(rv_i a, rv_i b) { return wasm_i32x4_mul(a, b); }
RV_INLINE rv_i rv_i_xor(rv_i a, rv_i b) { return wasm_v128_xor(a, b); }
RV_INLINE rv_i rv_i_and(rv_i a, rv_i b) { return wasm_v128_and(a, b); }
RV_INLINE rv_i rv_i_up7(rv_i a) { return wasm_i32x4_shl(a, 7); }
RV_INLINE rv_f rv_f_from(rv_i a) { return (rv_f)wasm_f32x4_convert_i32x4(a); }
RV_INLINE rv_f rv_f_set(float a) { return (rv_f)wasm_f32x4_splat(a); }
RV_INLINE rv_f rv_f_load(const float *p) { return (rv_f)wasm_v128_load(p); }
RV_INLINE void rv_f_store(float *p, rv_f a) { wasm_v128_store(p, (v128_t)a); }
// The second where one is no number, as the others do it: pmax and pmin compare the other way round.
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return (rv_f)wasm_f32x4_pmax((v128_t)b, (v128_t)a); }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return (rv_f)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
RV_INLINE rv_f rv_f_sqrt(rv_f a) { return (rv_f)wasm_f32x4_sqrt((v128_t)a); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return wasm_f32x4_gt((v128_t)a, (v128_t)b); }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b) { return (rv_f)wasm_v128_bitselect((v128_t)a, (v128_t)b, m); }
RV_INLINE int rv_any(rv_mask m) { return wasm_v128_any_true(m); }
RV_INLINE rv_f rv_f_bits(int32_t a) { return (rv_f)wasm_i32x4_splat(a); }
RV_INLINE rv_f rv_f_and(rv_f a, rv_f b) { return (rv_f)wasm_v128_and((v128_t)a, (v128_t)b); }
RV_INLINE rv_f rv_f_or(rv_f a, rv_f b) { return (rv_f)wasm_v128_or((v128_t)a, (v128_t)b); }
RV_INLINE rv_f rv_f_evens(rv_f a) { return (rv_f)wasm_i32x4_shuffle((v128_t)a, (v128_t)a, 0, 0, 2, 2); }
RV_INLINE rv_f rv_f_behind(rv_f a, rv_f b) { return (rv_f)wasm_i32x4_shuffle((v128_t)a, (v128_t)b, 3, 4, 5, 6); }
RV_INLINE rv_f rv_f_evens_after(rv_f a, rv_f b) { return (rv_f)wasm_i32x4_shuffle((v128_t)a, (v128_t)b, 2, 2, 4, 4); }
RV_INLINE rv_i rv_i_load(const int32_t *p) { return wasm_v128_load(p); }
RV_INLINE rv_i rv_i_gather(const int32_t *p, rv_i at)
{
    int32_t k[4];
    wasm_v128_store(k, at);
    return wasm_i32x4_make(p[k[0]], p[k[1]], p[k[2]], p[k[3]]);
}
RV_INLINE rv_f rv_f_gather(const float *p, rv_i at)
{
    int32_t k[4];
    wasm_v128_store(k, at);
    return (rv_f)wasm_f32x4_make(p[k[0]], p[k[1]], p[k[2]], p[k[3]]);
}
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p) { return (rv_f)wasm_f32x4_convert_i32x4(wasm_u32x4_load16x4(p)); }
RV_INLINE rv_f rv_f_load_s16(const int16_t *p) { return (rv_f)wasm_f32x4_convert_i32x4(wasm_i32x4_load16x4(p)); }

#else

#define RV_LANES 1
typedef float rv_f;
typedef int rv_mask;
typedef int32_t rv_i;
RV_INLINE rv_i rv_i_set(int32_t a) { return a; }
RV_INLINE rv_i rv_i_of(rv_f a)
{
    rv_i bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
}
RV_INLINE rv_f rv_f_of(rv_i a)
{
    rv_f value;
    __builtin_memcpy(&value, &a, sizeof value);
    return value;
}
RV_INLINE rv_i rv_i_add(rv_i a, rv_i b) { return (rv_i)((uint32_t)a + (uint32_t)b); }
RV_INLINE rv_i rv_i_sub(rv_i a, rv_i b) { return (rv_i)((uint32_t)a - (uint32_t)b); }
RV_INLINE rv_i rv_i_mul(rv_i a, rv_i b) { return (rv_i)((uint32_t)a * (uint32_t)b); }
RV_INLINE rv_i rv_i_xor(rv_i a, rv_i b) { return a ^ b; }
RV_INLINE rv_i rv_i_and(rv_i a, rv_i b) { return a & b; }
RV_INLINE rv_i rv_i_up7(rv_i a) { return (rv_i)((uint32_t)a << 7); }
RV_INLINE rv_f rv_f_from(rv_i a) { return (float)a; }
RV_INLINE rv_f rv_f_set(float a) { return a; }
RV_INLINE rv_f rv_f_load(const float *p) { return *p; }
RV_INLINE void rv_f_store(float *p, rv_f a) { *p = a; }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return a > b ? a : b; }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return a < b ? a : b; }
RV_INLINE rv_f rv_f_sqrt(rv_f a) { return __builtin_sqrtf(a); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return a > b; }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b) { return m ? a : b; }
RV_INLINE int rv_any(rv_mask m) { return m; }
RV_INLINE rv_i rv_i_load(const int32_t *p) { return *p; }
RV_INLINE rv_i rv_i_gather(const int32_t *p, rv_i at) { return p[at]; }
RV_INLINE rv_f rv_f_gather(const float *p, rv_i at) { return p[at]; }
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p) { return (float)*p; }
RV_INLINE rv_f rv_f_load_s16(const int16_t *p) { return (float)*p; }

#endif

#if RV_LANES == 1
RV_INLINE rv_f rv_f_abs(rv_f a) { return __builtin_fabsf(a); }
RV_INLINE rv_f rv_f_with_sign(rv_f size, rv_f sign) { return __builtin_copysignf(size, sign); }
#else
RV_INLINE rv_f rv_f_abs(rv_f a) { return rv_f_and(a, rv_f_bits(0x7fffffff)); }
// `size` is not negative.
RV_INLINE rv_f rv_f_with_sign(rv_f size, rv_f sign)
{
    return rv_f_or(size, rv_f_and(sign, rv_f_bits(INT32_MIN)));
}
#endif

// clang-format on

// 1/a for 1e-37 < a < 1e37, to 3e-7 of it: a guess from the exponent, then Newton's steps. Made of sums and
// products only, so the same everywhere, and several times faster than a division.
RV_INLINE rv_f rv_f_inverse(rv_f a)
{
    rv_f two = rv_f_set(2.0f);
    rv_f guess = rv_f_of(rv_i_sub(rv_i_set(0x7ef311c7), rv_i_of(a)));
    guess = guess * (two - a * guess);
    guess = guess * (two - a * guess);
    return guess * (two - a * guess);
}

#endif
