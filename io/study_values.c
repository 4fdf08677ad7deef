// The values of a study: ranges, random draws, and which of them a run has.
//
// Runs count through the grids first, the last key fastest, and then through the draws: a study
// with more draws begins with the runs of one with fewer. A random number comes from the seed, the
// key and the number of the draw alone, so that neither the other parameters nor their order
// matter.
#include "io/study_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rv_study_number_text(double value, char out[32])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) return;
    }
}

// To 15 digits: what is left of rounding, and of one mathematical library or another, goes.
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    return strtod(text, NULL);
}

// ---- Ranges -------------------------------------------------------------------------------------

static double range_value(const rv_study_param *p, double a, double b, int i, int count)
{
    if (i == 0) return a;
    if (i == count - 1) return b;
    double share = (double)i / (count - 1);
    double value = p->log ? exp(log(a) + share * (log(b) - log(a))) : a + share * (b - a);
    return p->whole ? floor(value + 0.5) : rounded(value);
}

bool rv_study_fill_range(rv_study_param *p, double a, double b, int count)
{
    p->texts = calloc((size_t)count, sizeof *p->texts);
    if (!p->texts) return false;
    for (int i = 0; i < count; i++) {
        char text[32];
        double value = range_value(p, a, b, i, count);
        rv_study_number_text(value, text);
        // a range of whole numbers may be too short for its count
        if (i > 0 && strcmp(text, p->texts[p->count - 1]) == 0) continue;
        p->texts[p->count] = malloc(strlen(text) + 1);
        if (!p->texts[p->count]) return false;
        strcpy(p->texts[p->count++], text);
    }
    return true;
}

// ---- Random numbers -----------------------------------------------------------------------------

// FNV-1a.
uint64_t rv_study_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *c = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ c[i]) * 0x100000001b3u;
    return hash;
}

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014, Fig. 16).
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The n-th number of a key.
static uint64_t random_at(const rv_study *s, const char *key, uint64_t n)
{
    uint64_t start = mix(s->seed + 0x9e3779b97f4a7c15u);
    uint64_t stream = mix(rv_study_hash(start ^ 0xcbf29ce484222325u, key, strlen(key)));
    return mix(stream + (n + 1) * 0x9e3779b97f4a7c15u);
}

// In 0 … 1, neither of them.
static double unit(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) / 4503599627370496.0; // 2^52
}

bool rv_study_shuffle(rv_study *s)
{
    for (int k = s->grid_count; s->latin && k < s->param_count; k++) {
        rv_study_param *p = &s->params[k];
        p->order = malloc((size_t)s->draws * sizeof *p->order);
        if (!p->order) return false;
        for (int i = 0; i < s->draws; i++) p->order[i] = i;
        for (int i = s->draws - 1; i > 0; i--) {
            // streams beyond those of the draws themselves
            uint64_t bits = random_at(s, p->key, (uint64_t)RV_STUDY_RUNS_MAX + (uint64_t)i);
            int j = (int)(unit(bits) * (i + 1)), kept = p->order[i];
            p->order[i] = p->order[j], p->order[j] = kept;
        }
    }
    return true;
}

// The share of a normal distribution below z.
static double below(double z)
{
    return 0.5 * erfc(-z * 0.70710678118654752);
}

// Where a normal distribution that is cut to low … high (in deviations) has the share u below.
static double normal_at(double u, double low, double high)
{
    // the upper tail has no digits left; the lower one, its mirror image, has all of them
    if (low > 0) return -normal_at(1 - u, -high, -low);
    double from = fmax(low, -38), to = fmin(high, 38);
    double share = below(from) + u * (below(to) - below(from));
    for (int i = 0; i < 100 && from < to; i++) {
        double z = 0.5 * (from + to);
        if (z <= from || z >= to) break;
        if (below(z) < share)
            from = z;
        else
            to = z;
    }
    return 0.5 * (from + to);
}

static double draw(const rv_study *s, const rv_study_param *p, int number)
{
    double u = unit(random_at(s, p->key, (uint64_t)number)), value;
    if (p->order) u = (p->order[number] + u) / s->draws;
    if (p->way == RV_WAY_NORMAL)
        value = p->a + p->b * normal_at(u, (p->low - p->a) / p->b, (p->high - p->a) / p->b);
    else if (p->way == RV_WAY_LOG_UNIFORM)
        value = exp(log(p->a) + u * (log(p->b) - log(p->a)));
    else if (p->whole)
        return p->a + floor(u * (p->b - p->a + 1));
    else
        value = p->a + u * (p->b - p->a);
    value = p->whole ? floor(value + 0.5) : rounded(value);
    double low = p->way == RV_WAY_NORMAL ? p->low : p->a;
    double high = p->way == RV_WAY_NORMAL ? p->high : p->b;
    return fmin(fmax(value, low), high); // rounding
}

// ---- A run --------------------------------------------------------------------------------------

void rv_study_value(const rv_study *s, int run, int param, char out[RV_STUDY_TEXT])
{
    const rv_study_param *p = &s->params[param];
    int place = (run - 1) % s->grid_total;
    if (p->way != RV_WAY_GRID) {
        rv_study_number_text(draw(s, p, (run - 1) / s->grid_total), out);
        return;
    }
    for (int k = s->grid_count - 1; k > param; k--) place /= s->params[k].count;
    snprintf(out, RV_STUDY_TEXT, "%s", p->texts[place % p->count]);
}

static int preset_of(const rv_study *s)
{
    for (int k = 0; k < s->param_count; k++)
        if (strcmp(s->params[k].key, rv_liquid_field()->key) == 0) return k;
    return -1;
}

// A preset goes before all that is said of the liquid besides, as in scene files; then what all
// runs have, then the other parameters.
void rv_study_assignment(const rv_study *s, int run, int number, char *out, size_t size)
{
    char text[RV_STUDY_TEXT];
    int preset = preset_of(s), k = number - s->set_count;
    if (preset >= 0 && number == 0)
        k = preset;
    else if (preset >= 0)
        number--, k = k - 1 < preset ? k - 1 : k;
    if (k < 0) {
        snprintf(out, size, "%s", s->sets[number]);
        return;
    }
    rv_study_value(s, run, k, text);
    snprintf(out, size, "%s=%s", s->params[k].key, text);
}

uint64_t rv_study_settings(const rv_study *s, int run)
{
    char text[RV_STUDY_TEXT], time[32];
    rv_study_number_text(s->time, time);
    uint64_t hash = rv_study_hash(s->scene_hash, time, strlen(time) + 1);
    for (int i = 0; i < s->set_count; i++)
        hash = rv_study_hash(hash, s->sets[i], strlen(s->sets[i]) + 1);
    for (int k = 0; k < s->param_count; k++) {
        rv_study_value(s, run, k, text);
        hash = rv_study_hash(hash, s->params[k].key, strlen(s->params[k].key) + 1);
        hash = rv_study_hash(hash, text, strlen(text) + 1);
    }
    return hash;
}

rv_result rv_study_get_value(const rv_study *study, int run, int parameter, char *text,
                             size_t text_size, double *number)
{
    if (!study || run < 1 || run > study->runs || parameter < 0 || parameter >= study->param_count)
        return RV_BAD_ARGUMENT;
    char own[RV_STUDY_TEXT], *end;
    rv_study_value(study, run, parameter, own);
    if (text && text_size > 0) snprintf(text, text_size, "%s", own);
    if (number) {
        *number = strtod(own, &end);
        if (end == own || *end) *number = NAN;
    }
    return RV_OK;
}

const char *rv_study_parameter(const rv_study *study, int parameter)
{
    return study && parameter >= 0 && parameter < study->param_count ? study->params[parameter].key
                                                                     : NULL;
}
