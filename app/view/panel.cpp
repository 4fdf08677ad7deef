// The panel beside the scene, drawn with Dear ImGui. It knows widgets and nothing else.
#include "app/view/panel.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <cstdio>
#include <cstring>
#include <epoxy/gl.h>
#include <imgui.h>

namespace
{

const float WIDTH = 336;        // of the panel
const float FONT_SIZE = 15;     // pixels
const float PLOT_HEIGHT = 26;   // pixels
const float LABEL_SHARE = 0.4f; // of a row's width

const ImVec4 ACCENT(0.36f, 0.66f, 0.90f, 1);
const ImVec4 DIM(0.58f, 0.62f, 0.67f, 1);
const ImVec4 GOOD(0.62f, 0.80f, 0.68f, 1);
const ImVec4 BAD(1.00f, 0.56f, 0.44f, 1);
const ImVec4 RED(0.80f, 0.25f, 0.22f, 1);

// ---- Looks --------------------------------------------------------------------------------------

void set_colours()
{
    ImGui::StyleColorsDark();
    ImVec4 *c = ImGui::GetStyle().Colors;
    c[ImGuiCol_Text] = ImVec4(0.90f, 0.92f, 0.94f, 1);
    c[ImGuiCol_TextDisabled] = DIM;
    c[ImGuiCol_WindowBg] = ImVec4(0.085f, 0.095f, 0.11f, 0.94f);
    c[ImGuiCol_PopupBg] = ImVec4(0.11f, 0.12f, 0.14f, 0.98f);
    c[ImGuiCol_Border] = ImVec4(1, 1, 1, 0.07f);
    c[ImGuiCol_FrameBg] = ImVec4(0.17f, 0.185f, 0.21f, 1);
    c[ImGuiCol_FrameBgHovered] = ImVec4(0.22f, 0.24f, 0.27f, 1);
    c[ImGuiCol_FrameBgActive] = ImVec4(0.25f, 0.28f, 0.32f, 1);
    c[ImGuiCol_SliderGrab] = ImVec4(0.33f, 0.53f, 0.70f, 1);
    c[ImGuiCol_SliderGrabActive] = ACCENT;
    c[ImGuiCol_CheckMark] = ACCENT;
    c[ImGuiCol_Button] = ImVec4(0.20f, 0.22f, 0.25f, 1);
    c[ImGuiCol_ButtonHovered] = ImVec4(0.26f, 0.30f, 0.35f, 1);
    c[ImGuiCol_ButtonActive] = ImVec4(0.26f, 0.42f, 0.56f, 1);
    c[ImGuiCol_Header] = ImVec4(0.15f, 0.17f, 0.195f, 1);
    c[ImGuiCol_HeaderHovered] = ImVec4(0.20f, 0.23f, 0.27f, 1);
    c[ImGuiCol_HeaderActive] = ImVec4(0.23f, 0.30f, 0.37f, 1);
    c[ImGuiCol_Separator] = ImVec4(1, 1, 1, 0.08f);
    c[ImGuiCol_PlotHistogram] = ACCENT;
    c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
}

void set_style(float scale)
{
    ImGuiStyle &s = ImGui::GetStyle();
    s.WindowRounding = s.ChildRounding = 0;
    s.FrameRounding = s.GrabRounding = s.PopupRounding = 4;
    s.WindowPadding = ImVec2(14, 12);
    s.FramePadding = ImVec2(8, 4);
    s.ItemSpacing = ImVec2(8, 6);
    s.ItemInnerSpacing = ImVec2(6, 4);
    s.ScrollbarSize = 10;
    s.GrabMinSize = 8;
    s.WindowBorderSize = 0;
    s.ScaleAllSizes(scale);
    set_colours();
}

// A font that is easier to read than the built-in one, where the system has one.
void load_font(float scale)
{
    static const char *const files[] = {
        "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
        "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
        "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
        "/usr/share/fonts/truetype/liberation2/LiberationSans-Regular.ttf",
        "/usr/share/fonts/TTF/DejaVuSans.ttf",
        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    };
    ImFontAtlas *fonts = ImGui::GetIO().Fonts;
    for (const char *file : files) {
        FILE *probe = std::fopen(file, "rb");
        if (!probe) continue;
        std::fclose(probe);
        if (fonts->AddFontFromFileTTF(file, FONT_SIZE * scale)) return;
    }
    ImFontConfig config;
    config.SizePixels = 13 * scale;
    fonts->AddFontDefault(&config);
}

// Lengths are meant for a font of FONT_SIZE and grow with it.
float em(float length)
{
    return length * ImGui::GetFontSize() / FONT_SIZE;
}

void tip(const char *text)
{
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text);
}

float line_width()
{
    return ImGui::GetContentRegionAvail().x;
}

// Buttons that share a line evenly.
bool share_button(const char *label, int of, bool lit = false, const ImVec4 &colour = ACCENT)
{
    float space = ImGui::GetStyle().ItemSpacing.x;
    float whole = ImGui::GetWindowContentRegionMax().x - ImGui::GetWindowContentRegionMin().x;
    float width = (whole - space * (float)(of - 1)) / (float)of;
    if (lit) {
        ImGui::PushStyleColor(ImGuiCol_Button,
                              ImVec4(colour.x * 0.62f, colour.y * 0.62f, colour.z * 0.62f, 1));
    }
    bool pressed = ImGui::Button(label, ImVec2(width, 0));
    if (lit) ImGui::PopStyleColor();
    return pressed;
}

// ---- Sliders ------------------------------------------------------------------------------------

// A slider over places, with the value's own text on it. true: it was moved.
bool slide(const char *id, const rv_slider *slider, double *value, const char *text)
{
    float place = (float)rv_slider_place(slider, *value);
    if (!ImGui::SliderFloat(id, &place, 0, 1, text, ImGuiSliderFlags_NoInput)) return false;
    *value = rv_slider_value(slider, (double)place);
    return true;
}

void label(const char *text)
{
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(DIM, "%s", text);
    ImGui::SameLine(ImGui::GetWindowContentRegionMin().x + em(84));
    ImGui::SetNextItemWidth(line_width());
}

void labelled_slider(const char *name, const char *unit, double low, double high, double *value,
                     const char *about)
{
    rv_slider slider = {low, high, true, false};
    char text[48], id[48];
    rv_quantity_text(unit, *value, text, sizeof text);
    std::snprintf(id, sizeof id, "##%s", name);
    label(name);
    slide(id, &slider, value, text);
    tip(about);
}

// ---- Parts of the panel -------------------------------------------------------------------------

void draw_scene(rv_panel *p)
{
    ImGui::TextColored(ACCENT, "%s", p->scene_name);
    ImGui::PushStyleColor(ImGuiCol_Text, DIM);
    ImGui::TextWrapped("%s", p->scene_title);
    ImGui::PopStyleColor();
    ImGui::Spacing();
    label("scene");
    if (ImGui::BeginCombo("##scene", p->scene_name, ImGuiComboFlags_HeightLarge)) {
        for (int i = 0; i < p->scene_count; i++)
            if (ImGui::Selectable(p->scenes[i], i == p->scene)) p->scene = i;
        ImGui::EndCombo();
    }
    tip("a shipped scene; or drop a scene or a mesh file onto the window");
    label("liquid");
    const char *now = p->liquid >= 0 && p->liquid < p->liquid_count ? p->liquids[p->liquid] : "";
    if (ImGui::BeginCombo("##liquid", now)) {
        for (int i = 0; i < p->liquid_count; i++)
            if (ImGui::Selectable(p->liquids[i], i == p->liquid)) p->liquid = i;
        ImGui::EndCombo();
    }
    tip("sets viscosity, density, contact angle and look");
}

void draw_time(rv_panel *p)
{
    ImGui::TextUnformatted(p->state);
    if (share_button(p->paused ? "Go on" : "Pause", 3, p->paused)) p->paused = !p->paused;
    tip("space");
    ImGui::SameLine();
    p->step = share_button("Step", 3);
    tip("a single step of time.step: . or n");
    ImGui::SameLine();
    p->reset = share_button("Reset", 3);
    tip("back to the start: r");
    rv_slider slider = {1.0 / 64, 8, true, false};
    char text[32];
    std::snprintf(text, sizeof text, "%.3g x", p->speed);
    label("speed");
    slide("##speed", &slider, &p->speed, text);
    tip("simulated seconds in a real one (view.speed): - and +, 0 for real time");
}

// What is thrown, in two rows.
void draw_throw(rv_panel *p)
{
    const rv_slider dense = {50, 12000, true, false}, springy = {0, 1, false, false};
    char text[48];
    label("density");
    float half = 0.5f * (line_width() - ImGui::GetStyle().ItemSpacing.x);
    ImGui::SetNextItemWidth(half);
    std::snprintf(text, sizeof text, "%.0f kg/m3", p->density);
    slide("##density", &dense, &p->density, text);
    tip("of the body: what is lighter than the liquid floats");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(half);
    std::snprintf(text, sizeof text, "bounce %.2f", p->restitution);
    slide("##bounce", &springy, &p->restitution, text);
    tip("share of its speed that a body keeps when it bounces");
    if (share_button("Ball", 3, !p->box)) p->box = false;
    ImGui::SameLine();
    if (share_button("Box", 3, p->box)) p->box = true;
    ImGui::SameLine();
    std::snprintf(text, sizeof text, p->bodies > 0 ? "Remove %d###clear" : "Remove###clear",
                  p->bodies);
    p->clear = share_button(text, 3);
    tip("takes all bodies out of the scene; reset brings its own back");
}

void draw_affinity(rv_panel *p)
{
    rv_slider slider = {0, 1, false, false};
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", p->affinity);
    label("affinity");
    slide("##affinity", &slider, &p->affinity, text);
    tip("of what is painted: 0 is wax, 1 draws the liquid, 0.5 wipes it off");
}

void draw_tools(rv_panel *p)
{
    static const char *const tips[RV_PANEL_TOOLS] = {
        "1: the left button turns the scene", "2: hold the left button to pour",
        "3: hold the left button to drill", "4: hold the left button to add to the solid",
        "5: drag with the left button to where a body shall fly",
        "6: drag with the left button to move the liquid, on a pane to wipe it",
        "7: drag with the left button to paint wax, or what draws the liquid"};
    for (int i = 0; i < RV_PANEL_TOOLS; i++) {
        char name[32];
        std::snprintf(name, sizeof name, "%c%s", p->tools[i][0] - 'a' + 'A', p->tools[i] + 1);
        if (i % 3 > 0) ImGui::SameLine();
        if (share_button(name, 3, p->tool == i)) p->tool = i;
        tip(tips[i]);
    }
    // What a tool does not have leaves its place free, so that what is below stays where it is.
    ImVec2 row(1, ImGui::GetFrameHeight());
    if (p->tool == 0) {
        for (int i = 0; i < 3; i++) ImGui::Dummy(row);
        return;
    }
    labelled_slider("radius", "m", p->radius_low, p->radius_high, &p->radius,
                    "size of the tool: [ and ], or ctrl + wheel");
    if (p->tool == 4) {
        draw_throw(p);
        return;
    }
    if (p->tool == 1)
        labelled_slider("rate", "m3/s", p->rate_low, p->rate_high, &p->rate,
                        "how much is poured a second");
    else if (p->tool == 6)
        draw_affinity(p);
    else
        ImGui::Dummy(row);
    ImGui::Dummy(row);
}

void draw_captures(rv_panel *p)
{
    p->picture = share_button("Picture", 3);
    tip("save a picture of the scene: s or F12");
    ImGui::SameLine();
    p->film = share_button(p->filming ? "Stop film" : "Film", 3, p->filming, RED);
    tip("start or stop a film: v or F9");
    ImGui::SameLine();
    p->home = share_button("Home view", 3);
    tip("the scene's own camera: f");
    // Always room for two lines, so that what is below stays where it is.
    float top = ImGui::GetCursorPosY();
    ImGui::PushStyleColor(ImGuiCol_Text, p->note_bad ? BAD : GOOD);
    ImGui::TextWrapped("%s", p->note);
    ImGui::PopStyleColor();
    float room = 2 * ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y;
    if (ImGui::GetCursorPosY() < top + room) ImGui::SetCursorPosY(top + room);
}

void draw_plot(const rv_panel_plot *plot)
{
    ImDrawList *list = ImGui::GetWindowDrawList();
    ImVec2 at = ImGui::GetCursorScreenPos();
    float height = em(PLOT_HEIGHT);
    float whole = line_width(), left = em(92), right = em(84);
    float x0 = at.x + left, width = whole - left - right, bottom = at.y + height;
    ImU32 fill = ImGui::GetColorU32(ImVec4(ACCENT.x, ACCENT.y, ACCENT.z, 0.16f));
    ImU32 line = ImGui::GetColorU32(ACCENT);
    float middle = at.y + 0.5f * (height - ImGui::GetTextLineHeight());
    list->AddText(ImVec2(at.x, middle), ImGui::GetColorU32(DIM), plot->name);
    float text = ImGui::CalcTextSize(plot->now).x;
    list->AddText(ImVec2(at.x + whole - text, middle), ImGui::GetColorU32(ImGuiCol_Text),
                  plot->now);
    list->AddRectFilled(ImVec2(x0, at.y), ImVec2(x0 + width, bottom),
                        ImGui::GetColorU32(ImVec4(1, 1, 1, 0.035f)), 3);
    ImVec2 before(0, 0);
    float range = plot->high > plot->low ? plot->high - plot->low : 1;
    float pace = width / (float)(plot->room - 1);
    for (int i = 0; i < plot->count; i++) {
        float share = (plot->at(plot->source, plot->which, i) - plot->low) / range;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        ImVec2 now(x0 + width - pace * (float)i, bottom - 1 - share * (height - 3));
        list->AddLine(ImVec2(now.x, bottom), now, fill);
        if (i > 0) list->AddLine(before, now, line, 1.3f);
        before = now;
    }
    ImGui::Dummy(ImVec2(whole, height));
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("%s: the axis goes from %.3g to %.3g", plot->name, (double)plot->low,
                          (double)plot->high);
}

void draw_plots(rv_panel *p)
{
    if (!ImGui::CollapsingHeader("Plots", ImGuiTreeNodeFlags_DefaultOpen)) return;
    for (const rv_panel_plot &plot : p->plot) draw_plot(&plot);
    ImGui::TextColored(DIM, "%s", p->numbers);
}

// ---- Parameters ---------------------------------------------------------------------------------

void row_tip(const rv_row *row)
{
    if (!ImGui::IsItemHovered()) return;
    const rv_field_info *f = row->field;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24);
    ImGui::TextColored(ACCENT, "%s", f->key);
    ImGui::TextWrapped("%s", f->meaning);
    if (f->type == RV_REAL || f->type == RV_WHOLE) {
        bool pure = std::strcmp(f->unit, "1") == 0;
        ImGui::TextColored(DIM, "%.6g to %.6g%s%s, default %.6g", f->low, f->high, pure ? "" : " ",
                           pure ? "" : f->unit, f->preset);
        ImGui::TextColored(DIM, "%s",
                           row->field->fixed ? "type a value and press Enter"
                                             : "double-click to type, with any unit");
    }
    if (f->type == RV_VECTOR)
        ImGui::TextColored(DIM, "double-click to type: x y z%s", f->down ? ", or one number" : "");
    if (row->field->fixed) ImGui::TextColored(BAD, "rebuilds the world: it starts anew");
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void draw_words(rv_panel *p, int i)
{
    const rv_row *row = &p->rows->row[i];
    int now = (int)rv_row_get(row, &p->params);
    char word[32] = "";
    rv_word_at(row->field->words, now, word, sizeof word);
    if (!ImGui::BeginCombo("##value", word)) return;
    for (int n = 0; rv_word_at(row->field->words, n, word, sizeof word); n++) {
        if (!ImGui::Selectable(word, n == now)) continue;
        rv_row_set(row, &p->params, n);
        p->changed = i;
    }
    ImGui::EndCombo();
}

void begin_typing(rv_panel *p, int i)
{
    p->editing = i + 1;
    p->edit_born = true;
    rv_field_print(p->rows->row[i].field, &p->params, p->edit, sizeof p->edit);
}

void finish_typing(rv_panel *p, int i)
{
    std::snprintf(p->typed, sizeof p->typed, "%s", p->edit);
    p->typed_row = i;
    p->editing = 0;
}

// The row whose value is typed.
void draw_typing(rv_panel *p, int i)
{
    if (p->edit_born) ImGui::SetKeyboardFocusHere();
    bool entered =
        ImGui::InputText("##typed", p->edit, sizeof p->edit,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (entered)
        finish_typing(p, i);
    else if (!p->edit_born && ImGui::IsItemDeactivated())
        p->editing = 0;
    p->edit_born = false;
}

void draw_number(rv_panel *p, int i)
{
    const rv_row *row = &p->rows->row[i];
    char text[96];
    rv_row_text(row, &p->params, text, sizeof text);
    if (p->editing == i + 1) {
        draw_typing(p, i);
        return;
    }
    if (row->field->fixed) {
        std::strncat(text, "##value", sizeof text - std::strlen(text) - 1);
        ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, ImVec2(0.5f, 0.5f));
        if (ImGui::Button(text, ImVec2(ImGui::CalcItemWidth(), 0))) begin_typing(p, i);
        ImGui::PopStyleVar();
        return;
    }
    double value = rv_row_get(row, &p->params);
    if (slide("##value", &row->slider, &value, text)) {
        rv_row_set(row, &p->params, value);
        p->changed = i;
    }
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) begin_typing(p, i);
}

// Three sliders in the place of one.
void draw_vector(rv_panel *p, int i)
{
    const rv_row *row = &p->rows->row[i];
    if (p->editing == i + 1) {
        draw_typing(p, i);
        return;
    }
    float gap = ImGui::GetStyle().ItemInnerSpacing.x, wide = (ImGui::CalcItemWidth() - 2 * gap) / 3;
    ImGui::BeginGroup();
    for (int c = 0; c < 3; c++) {
        char text[32];
        double value = rv_row_get_part(row, &p->params, c);
        std::snprintf(text, sizeof text, "%c %.3g", 'x' + c, value);
        if (c > 0) ImGui::SameLine(0, gap);
        ImGui::PushID(c);
        ImGui::SetNextItemWidth(wide);
        if (slide("##part", &row->part[c], &value, text)) {
            rv_row_set_part(row, &p->params, c, value);
            p->changed = i;
        }
        if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) begin_typing(p, i);
        ImGui::PopID();
    }
    ImGui::EndGroup();
}

void draw_row(rv_panel *p, int i)
{
    const rv_row *row = &p->rows->row[i];
    ImGui::PushID(i);
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(row->field->fixed ? DIM : ImGui::GetStyleColorVec4(ImGuiCol_Text), "%s%s",
                       row->label, row->field->fixed ? " *" : "");
    row_tip(row);
    float left = ImGui::GetWindowContentRegionMin().x;
    float whole = ImGui::GetWindowContentRegionMax().x - left, undo = em(22);
    ImGui::SameLine(left + LABEL_SHARE * whole);
    ImGui::SetNextItemWidth(whole * (1 - LABEL_SHARE) - undo - 6);
    if (row->field->type == RV_WORD) {
        draw_words(p, i);
    } else if (row->field->type == RV_FLAG) {
        bool on = rv_row_get(row, &p->params) != 0;
        if (ImGui::Checkbox("##value", &on)) {
            rv_row_set(row, &p->params, on);
            p->changed = i;
        }
    } else if (row->field->type == RV_VECTOR) {
        draw_vector(p, i);
    } else {
        draw_number(p, i);
    }
    if (p->editing != i + 1) row_tip(row);
    if (!rv_row_same(row, &p->params, &p->rows->scene) && p->editing != i + 1) {
        ImGui::SameLine(left + whole - undo);
        if (ImGui::Button("\xc2\xab", ImVec2(undo, 0))) {
            rv_row_copy(row, &p->params, &p->rows->scene);
            p->changed = i;
        }
        tip("back to the scene's value");
    }
    ImGui::PopID();
}

// The rows of one group, from row i on; the first row after them.
int draw_group(rv_panel *p, int i)
{
    const rv_panel_rows *rows = p->rows;
    const char *group = rows->row[i].group;
    int last = i, found = 0;
    for (; last < rows->count && std::strcmp(rows->row[last].group, group) == 0; last++)
        found += rv_row_matches(&rows->row[last], p->search);
    if (found == 0) return last;
    ImGui::PushID(i);
    if (p->search[0]) ImGui::SetNextItemOpen(true);
    if (ImGui::TreeNodeEx(group,
                          ImGuiTreeNodeFlags_SpanAvailWidth | ImGuiTreeNodeFlags_NoTreePushOnOpen))
        for (int n = i; n < last; n++)
            if (rv_row_matches(&rows->row[n], p->search)) draw_row(p, n);
    ImGui::PopID();
    return last;
}

void draw_parameters(rv_panel *p)
{
    if (!ImGui::CollapsingHeader("Parameters", ImGuiTreeNodeFlags_DefaultOpen)) return;
    ImGui::SetNextItemWidth(line_width());
    ImGui::InputTextWithHint("##search", "search", p->search, sizeof p->search);
    for (int i = 0; i < p->rows->count;) i = draw_group(p, i);
    ImGui::TextColored(DIM, "* rebuilds the world");
}

// ---- Overlays -----------------------------------------------------------------------------------

const ImGuiWindowFlags PLAIN = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                               ImGuiWindowFlags_NoCollapse;

ImVec2 middle_of_scene(const rv_panel *p)
{
    ImVec2 size = ImGui::GetIO().DisplaySize;
    return ImVec2(0.5f * (size.x - (p->shown ? p->width : 0)), 0.5f * size.y);
}

void draw_help(rv_panel *p)
{
    ImGui::SetNextWindowPos(middle_of_scene(p), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8);
    if (ImGui::Begin("help", nullptr, PLAIN | ImGuiWindowFlags_AlwaysAutoResize)) {
        ImGui::TextColored(ACCENT, "Mouse and keys");
        ImGui::Spacing();
        for (const rv_panel_key *key = p->keys; key->key; key++) {
            ImGui::TextUnformatted(key->key);
            ImGui::SameLine(ImGui::GetFontSize() * 9);
            ImGui::TextColored(DIM, "%s", key->meaning);
        }
        ImGui::Spacing();
        ImGui::TextColored(DIM, "F1 or Esc closes this");
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

void draw_busy(const rv_panel *p)
{
    ImGui::SetNextWindowPos(middle_of_scene(p), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8);
    if (ImGui::Begin("busy", nullptr, PLAIN | ImGuiWindowFlags_AlwaysAutoResize)) {
        ImGui::TextUnformatted(p->busy);
        ImGui::ProgressBar((float)p->busy_share, ImVec2(em(240), em(6)), "");
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

void draw_panel(rv_panel *p)
{
    ImVec2 size = ImGui::GetIO().DisplaySize;
    p->width = em(WIDTH) < 0.6f * size.x ? em(WIDTH) : 0.6f * size.x;
    ImGui::SetNextWindowPos(ImVec2(size.x - p->width, 0));
    ImGui::SetNextWindowSize(ImVec2(p->width, size.y));
    if (ImGui::Begin("rivulet", nullptr,
                     PLAIN | ImGuiWindowFlags_NoBringToFrontOnFocus |
                         ImGuiWindowFlags_AlwaysVerticalScrollbar)) {
        draw_scene(p);
        ImGui::Separator();
        draw_time(p);
        ImGui::Separator();
        draw_tools(p);
        ImGui::Separator();
        draw_captures(p);
        draw_plots(p);
        draw_parameters(p);
    }
    ImGui::End();
}

void use_puppet(const rv_panel *p)
{
    ImGuiIO &io = ImGui::GetIO();
    if (!p->puppet) return;
    io.MousePos = ImVec2(p->puppet_x, p->puppet_y);
    for (int i = 0; i < 3; i++) io.MouseDown[i] = p->puppet_down[i];
}

} // namespace

bool rv_panel_start(void *window, float scale)
{
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // no files without being asked
    set_style(scale);
    load_font(scale);
    bool listens = ImGui_ImplGlfw_InitForOpenGL(static_cast<GLFWwindow *>(window), true);
    if (listens && ImGui_ImplOpenGL3_Init("#version 300 es")) return true;
    if (listens) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    return false;
}

void rv_panel_stop()
{
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void rv_panel_draw(rv_panel *p)
{
    rv_panel before = *p;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    use_puppet(p);
    ImGui::NewFrame();
    if (p->shown) draw_panel(p);
    if (p->help) draw_help(p);
    if (p->busy) draw_busy(p);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    // It asks for things that OpenGL ES does not have; nobody shall find these errors later.
    while (glGetError() != GL_NO_ERROR) continue;
    const ImGuiIO &io = ImGui::GetIO();
    if (p->busy) {
        *p = before;
        return;
    }
    p->wants_mouse = io.WantCaptureMouse;
    p->wants_keys = io.WantTextInput;
    p->moving = ImGui::IsAnyItemActive();
}
