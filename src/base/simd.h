// Floats by the handful: rv_f is as many floats as this file's instruction set holds (RV_LANES), or one. Sums
// and products are plain + - * /. Files that define RV_SIMD before including this get the vector form; all
// others, and machines without one, get plain floats. Every form gives the same bits.
#ifndef RV_BASE_SIMD_H
#define RV_BASE_SIMD_H

#include <stdint.h>

#define RV_INLINE static inline __attribute__((always_inline))

#if defined(RV_SIMD) && defined(__AVX512F__)

#include <immintrin.h>
#define RV_LANES 16
typedef __m512 rv_f;
typedef __mmask16 rv_mask;
RV_INLINE rv_f rv_f_set(float a) { return _mm512_set1_ps(a); }
RV_INLINE rv_f rv_f_load(const float *p) { return _mm512_loadu_ps(p); }
RV_INLINE void rv_f_store(float *p, rv_f a) { _mm512_storeu_ps(p, a); }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return _mm512_max_ps(a, b); }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return _mm512_min_ps(a, b); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b) { return _mm512_mask_blend_ps(m, b, a); }
RV_INLINE rv_f rv_f_bits(int32_t a) { return _mm512_castsi512_ps(_mm512_set1_epi32(a)); }
RV_INLINE rv_f rv_f_and(rv_f a, rv_f b) { return _mm512_and_ps(a, b); }
RV_INLINE rv_f rv_f_or(rv_f a, rv_f b) { return _mm512_or_ps(a, b); }
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p)));
}

#elif defined(RV_SIMD) && defined(__AVX2__)

#include <immintrin.h>
#define RV_LANES 8
typedef __m256 rv_f;
typedef __m256 rv_mask;
RV_INLINE rv_f rv_f_set(float a) { return _mm256_set1_ps(a); }
RV_INLINE rv_f rv_f_load(const float *p) { return _mm256_loadu_ps(p); }
RV_INLINE void rv_f_store(float *p, rv_f a) { _mm256_storeu_ps(p, a); }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return _mm256_max_ps(a, b); }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return _mm256_min_ps(a, b); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b) { return _mm256_blendv_ps(b, a, m); }
RV_INLINE rv_f rv_f_bits(int32_t a) { return _mm256_castsi256_ps(_mm256_set1_epi32(a)); }
RV_INLINE rv_f rv_f_and(rv_f a, rv_f b) { return _mm256_and_ps(a, b); }
RV_INLINE rv_f rv_f_or(rv_f a, rv_f b) { return _mm256_or_ps(a, b); }
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}

#elif defined(RV_SIMD) && defined(__SSE2__)

#include <emmintrin.h>
#define RV_LANES 4
typedef __m128 rv_f;
typedef __m128 rv_mask;
RV_INLINE rv_f rv_f_set(float a) { return _mm_set1_ps(a); }
RV_INLINE rv_f rv_f_load(const float *p) { return _mm_loadu_ps(p); }
RV_INLINE void rv_f_store(float *p, rv_f a) { _mm_storeu_ps(p, a); }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return _mm_max_ps(a, b); }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return _mm_min_ps(a, b); }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return _mm_cmpgt_ps(a, b); }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b)
{
    return _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b));
}
RV_INLINE rv_f rv_f_bits(int32_t a) { return _mm_castsi128_ps(_mm_set1_epi32(a)); }
RV_INLINE rv_f rv_f_and(rv_f a, rv_f b) { return _mm_and_ps(a, b); }
RV_INLINE rv_f rv_f_or(rv_f a, rv_f b) { return _mm_or_ps(a, b); }
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p)
{
    __m128i words = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, _mm_setzero_si128()));
}

#else

#define RV_LANES 1
typedef float rv_f;
typedef int rv_mask;
RV_INLINE rv_f rv_f_set(float a) { return a; }
RV_INLINE rv_f rv_f_load(const float *p) { return *p; }
RV_INLINE void rv_f_store(float *p, rv_f a) { *p = a; }
RV_INLINE rv_f rv_f_max(rv_f a, rv_f b) { return a > b ? a : b; }
RV_INLINE rv_f rv_f_min(rv_f a, rv_f b) { return a < b ? a : b; }
RV_INLINE rv_mask rv_f_above(rv_f a, rv_f b) { return a > b; }
RV_INLINE rv_f rv_f_pick(rv_mask m, rv_f a, rv_f b) { return m ? a : b; }
RV_INLINE rv_f rv_f_load_u16(const uint16_t *p) { return (float)*p; }

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

#endif
