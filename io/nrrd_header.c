// The header of an NRRD file: lines `field: value` up to an empty line. Fields that have no bearing
// on the values or their places are passed over; what is known must be well-formed.
#include "io/nrrd_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct nrrd_parser {
    const rv_volume_reader *reader;
    rv_nrrd_header *out;
} nrrd_parser;

typedef bool nrrd_field(nrrd_parser *parser, const char *field, char *value);

static bool wrong(const nrrd_parser *p, const char *field, const char *value)
{
    return rv_volume_refuse(p->reader, "%s: `%.60s` makes no sense", field, value);
}

// Text in other letters' sizes: both are ASCII.
static bool same_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
    return *a == *b;
}

static bool one_of(const char *word, const char *words)
{
    for (; *words; words += strlen(words) + 1)
        if (same_word(word, words)) return true;
    return false;
}

static char *skip_blanks(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

// ---- Fields -------------------------------------------------------------------------------------

static bool whole_number(const char *text, int64_t least, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *skip_blanks(end) || errno || value < least) return false;
    *out = value;
    return true;
}

static bool read_dimension(nrrd_parser *p, const char *field, char *value)
{
    int64_t count;
    if (!whole_number(value, 1, &count) || count > RV_NRRD_AXES_MAX) return wrong(p, field, value);
    p->out->dimension = (int)count;
    return true;
}

static bool read_sizes(nrrd_parser *p, const char *field, char *value)
{
    int count = 0;
    for (char *at = skip_blanks(value); *at; count++) {
        char *end;
        errno = 0;
        long long size = strtoll(at, &end, 10);
        if (end == at || errno || size < 1 || count == RV_NRRD_AXES_MAX)
            return wrong(p, field, value);
        p->out->size[count] = size;
        at = skip_blanks(end);
    }
    p->out->sizes = count;
    return true;
}

static bool read_type(nrrd_parser *p, const char *field, char *value)
{
    // each with the words that mean it, as the format's definition lists them
    static const struct {
        rv_scalar type;
        const char *words;
    } types[] = {
        {RV_SCALAR_INT8, "signed char\0int8\0int8_t\0"},
        {RV_SCALAR_UINT8, "uchar\0unsigned char\0uint8\0uint8_t\0"},
        {RV_SCALAR_INT16, "short\0short int\0signed short\0signed short int\0int16\0int16_t\0"},
        {RV_SCALAR_UINT16, "ushort\0unsigned short\0unsigned short int\0uint16\0uint16_t\0"},
        {RV_SCALAR_INT32, "int\0signed int\0int32\0int32_t\0"},
        {RV_SCALAR_UINT32, "uint\0unsigned int\0uint32\0uint32_t\0"},
        {RV_SCALAR_INT64, "longlong\0long long\0long long int\0signed long long\0"
                          "signed long long int\0int64\0int64_t\0"},
        {RV_SCALAR_UINT64, "ulonglong\0unsigned long long\0unsigned long long int\0uint64\0"
                           "uint64_t\0"},
        {RV_SCALAR_FLOAT32, "float\0"},
        {RV_SCALAR_FLOAT64, "double\0"},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (one_of(value, types[i].words)) {
            p->out->type = types[i].type;
            return true;
        }
    return rv_volume_refuse(p->reader, "%s: `%.60s` is not read", field, value);
}

static bool read_encoding(nrrd_parser *p, const char *field, char *value)
{
    if (same_word(value, "raw"))
        p->out->encoding = RV_NRRD_RAW;
    else if (one_of(value, "txt\0text\0ascii\0"))
        p->out->encoding = RV_NRRD_TEXT;
    else if (one_of(value, "gz\0gzip\0"))
        p->out->encoding = RV_NRRD_GZIP;
    else
        return rv_volume_refuse(p->reader, "%s: `%.60s` is not read; raw, ascii and gzip are",
                                field, value);
    return true;
}

static bool read_endian(nrrd_parser *p, const char *field, char *value)
{
    p->out->endian = same_word(value, "little") ? 1 : same_word(value, "big") ? 2 : 0;
    return p->out->endian ? true : wrong(p, field, value);
}

// Numbers, one an axis; NaN: the axis has none.
static bool read_numbers(nrrd_parser *p, const char *field, char *value, double *out, int *count)
{
    *count = 0;
    for (char *at = skip_blanks(value); *at; ++*count) {
        char *end;
        double number = strtod(at, &end);
        if (end == at || *count == RV_NRRD_AXES_MAX) return wrong(p, field, value);
        out[*count] = number;
        at = skip_blanks(end);
    }
    return true;
}

static bool read_spacings(nrrd_parser *p, const char *field, char *value)
{
    return read_numbers(p, field, value, p->out->spacing, &p->out->spacings);
}

static bool read_lows(nrrd_parser *p, const char *field, char *value)
{
    return read_numbers(p, field, value, p->out->low, &p->out->lows);
}

static bool read_highs(nrrd_parser *p, const char *field, char *value)
{
    return read_numbers(p, field, value, p->out->high, &p->out->highs);
}

// Words, one an axis: whether each is among `words`.
static bool read_words(nrrd_parser *p, const char *field, char *value, const char *words, bool *out,
                       int *count)
{
    *count = 0;
    for (char *at = skip_blanks(value); *at; ++*count) {
        size_t length = strcspn(at, " \t");
        char word[40] = "";
        if (*count == RV_NRRD_AXES_MAX) return wrong(p, field, value);
        if (length < sizeof word) memcpy(word, at, length);
        out[*count] = one_of(word, words);
        at = skip_blanks(at + length);
    }
    return true;
}

static bool read_centers(nrrd_parser *p, const char *field, char *value)
{
    return read_words(p, field, value, "node\0", p->out->node, &p->out->centers);
}

// The kinds of axes that hold the parts of one value, as the format's definition lists them, and of
// those along which whole volumes lie.
static bool read_kinds(nrrd_parser *p, const char *field, char *value)
{
    static const char words[] = "complex\0"
                                "2-vector\0"
                                "3-color\0RGB-color\0HSV-color\0XYZ-color\0"
                                "4-color\0RGBA-color\0"
                                "3-vector\0"
                                "3-gradient\0"
                                "3-normal\0"
                                "4-vector\0quaternion\0"
                                "2D-symmetric-matrix\0"
                                "2D-masked-symmetric-matrix\0"
                                "2D-matrix\0"
                                "2D-masked-matrix\0"
                                "3D-symmetric-matrix\0"
                                "3D-masked-symmetric-matrix\0"
                                "3D-matrix\0"
                                "3D-masked-matrix\0vector\0covariant-vector\0normal\0"
                                "color\0tensor\0";
    return read_words(p, field, value, words, p->out->mixed, &p->out->kinds) &&
           read_words(p, field, value, "list\0time\0", p->out->listed, &p->out->kinds);
}

// "(1,2,3)": moves *at behind it.
static bool read_vector(char **at, rv_vec3 *out)
{
    double number[3];
    char *place = *at;
    for (int i = 0; i < 3; i++) {
        place = skip_blanks(place);
        if (*place != (i == 0 ? '(' : ',')) return false;
        char *end;
        number[i] = strtod(place + 1, &end);
        if (end == place + 1) return false;
        place = end;
    }
    place = skip_blanks(place);
    if (*place != ')') return false;
    *at = place + 1;
    *out = (rv_vec3){number[0], number[1], number[2]};
    return true;
}

static bool read_directions(nrrd_parser *p, const char *field, char *value)
{
    int count = 0;
    for (char *at = skip_blanks(value); *at; count++) {
        if (count == RV_NRRD_AXES_MAX) return wrong(p, field, value);
        p->out->has_direction[count] = strncmp(at, "none", 4) != 0;
        if (!p->out->has_direction[count])
            at += 4;
        else if (!read_vector(&at, &p->out->direction[count]))
            return rv_volume_refuse(p->reader, "%s: `%.60s`: vectors of three are needed", field,
                                    value);
        at = skip_blanks(at);
    }
    p->out->directions = count;
    return true;
}

static bool read_origin(nrrd_parser *p, const char *field, char *value)
{
    char *at = value;
    if (!read_vector(&at, &p->out->origin) || *skip_blanks(at)) return wrong(p, field, value);
    p->out->has_origin = true;
    return true;
}

static bool read_space(nrrd_parser *p, const char *field, char *value)
{
    rv_vec3 *sign = &p->out->sign;
    if (one_of(value, "right-anterior-superior\0RAS\0")) {
        *sign = (rv_vec3){1, 1, 1};
    } else if (one_of(value, "left-anterior-superior\0LAS\0")) {
        *sign = (rv_vec3){-1, 1, 1};
    } else if (one_of(value, "left-posterior-superior\0LPS\0")) {
        *sign = (rv_vec3){-1, -1, 1};
    } else if (one_of(value, "scanner-xyz\0"
                             "3D-right-handed\0"
                             "3D-left-handed\0")) {
        *sign = (rv_vec3){1, 1, 1};
    } else {
        return rv_volume_refuse(p->reader, "%s: `%.60s` is not read", field, value);
    }
    return true;
}

static bool read_space_dimension(nrrd_parser *p, const char *field, char *value)
{
    int64_t count;
    if (!whole_number(value, 1, &count)) return wrong(p, field, value);
    if (count != 3) return rv_volume_refuse(p->reader, "%s: 3 is needed", field);
    return true;
}

static rv_length_unit unit_named(const char *word)
{
    if (one_of(word, "mm\0millimeter\0millimeters\0millimetre\0millimetres\0")) return RV_UNIT_MM;
    if (one_of(word, "um\0\xc2\xb5m\0\xce\xbcm\0micron\0microns\0micrometer\0micrometers\0"
                     "micrometre\0micrometres\0"))
        return RV_UNIT_UM;
    if (one_of(word, "cm\0centimeter\0centimeters\0centimetre\0centimetres\0")) return RV_UNIT_CM;
    if (one_of(word, "m\0meter\0meters\0metre\0metres\0")) return RV_UNIT_M;
    if (one_of(word, "in\0inch\0inches\0")) return RV_UNIT_IN;
    if (one_of(word, "ft\0foot\0feet\0")) return RV_UNIT_FT;
    return RV_UNIT_AUTO;
}

// `"mm" "mm" "mm"`: all the same, empty ones left out; words that are no lengths say nothing.
static bool read_units(nrrd_parser *p, const char *field, char *value)
{
    rv_length_unit unit = RV_UNIT_AUTO;
    for (char *at = strchr(value, '"'); at; at = strchr(at, '"')) {
        char *end = strchr(at + 1, '"');
        if (!end) return wrong(p, field, value);
        char word[32] = "";
        size_t length = (size_t)(end - at - 1);
        if (length > 0 && length < sizeof word) memcpy(word, at + 1, length);
        rv_length_unit one = unit_named(word);
        if (one != RV_UNIT_AUTO && unit != RV_UNIT_AUTO && one != unit)
            return rv_volume_refuse(p->reader, "%s: different units are not read", field);
        if (one != RV_UNIT_AUTO) unit = one;
        at = end + 1;
    }
    if (unit != RV_UNIT_AUTO) p->out->unit = unit;
    return true;
}

static bool read_line_skip(nrrd_parser *p, const char *field, char *value)
{
    return whole_number(value, 0, &p->out->line_skip) || wrong(p, field, value);
}

static bool read_byte_skip(nrrd_parser *p, const char *field, char *value)
{
    return whole_number(value, -1, &p->out->byte_skip) || wrong(p, field, value);
}

static bool read_data_file(nrrd_parser *p, const char *field, char *value)
{
    if (strncmp(value, "LIST", 4) == 0 || strchr(value, '%'))
        return rv_volume_refuse(p->reader, "%s: several data files are not read", field);
    p->out->data_file = value;
    return *value ? true : wrong(p, field, value);
}

// ---- Lines --------------------------------------------------------------------------------------

static const struct {
    const char *name;
    nrrd_field *read;
} fields[] = {
    {"dimension", read_dimension},
    {"sizes", read_sizes},
    {"type", read_type},
    {"encoding", read_encoding},
    {"endian", read_endian},
    {"spacings", read_spacings},
    {"axis mins", read_lows},
    {"axismins", read_lows},
    {"axis maxs", read_highs},
    {"axismaxs", read_highs},
    {"centers", read_centers},
    {"centerings", read_centers},
    {"kinds", read_kinds},
    {"space directions", read_directions},
    {"space origin", read_origin},
    {"space", read_space},
    {"space dimension", read_space_dimension},
    {"space units", read_units},
    {"units", read_units},
    {"line skip", read_line_skip},
    {"lineskip", read_line_skip},
    {"byte skip", read_byte_skip},
    {"byteskip", read_byte_skip},
    {"data file", read_data_file},
    {"datafile", read_data_file},
};

static bool read_line(nrrd_parser *p, char *line)
{
    if (line[0] == '#') return true;
    char *colon = strchr(line, ':');
    if (!colon) return rv_volume_refuse(p->reader, "`%.60s` is no line of an NRRD header", line);
    if (colon[1] == '=') return true; // a key of someone's own
    *colon = '\0';
    char *value = skip_blanks(colon + 1), *end = value + strlen(value);
    while (end > value && isspace((unsigned char)end[-1])) *--end = '\0';
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (same_word(line, fields[i].name)) return fields[i].read(p, fields[i].name, value);
    return true;
}

// Ends the line at `start` with a zero; where the next begins, or `size`.
static size_t cut_line(rv_file_bytes *file, size_t start)
{
    unsigned char *newline = memchr(file->data + start, '\n', file->size - start);
    size_t end = newline ? (size_t)(newline - file->data) : file->size;
    file->data[end] = '\0'; // the byte after the last is there for this
    if (end > start && file->data[end - 1] == '\r') file->data[end - 1] = '\0';
    return newline ? end + 1 : file->size;
}

bool rv_nrrd_header_read(const rv_volume_reader *reader, rv_file_bytes *file, rv_nrrd_header *out,
                         size_t *data)
{
    *out = (rv_nrrd_header){.sign = {1, 1, 1}};
    nrrd_parser parser = {reader, out};
    const char *text = (const char *)file->data;
    size_t at = cut_line(file, 0);
    if (strlen(text) != 8 || memcmp(text, "NRRD000", 7) != 0 || text[7] < '1' || text[7] > '5')
        return rv_volume_refuse(reader, "begins with `%.16s`; NRRD0001 to NRRD0005 are read", text);
    while (at < file->size) {
        char *line = (char *)file->data + at;
        at = cut_line(file, at);
        if (!line[0]) break; // an empty line ends the header
        if (!read_line(&parser, line)) return false;
    }
    *data = at;
    return true;
}
