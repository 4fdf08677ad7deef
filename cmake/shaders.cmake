# cmake -DOUT=FILE.c -DSHADERS=A.glsl;B.glsl -P shaders.cmake
# Writes a C file with the text of each shader, found by name (render/shaders.h).
set(text "// Made by cmake/shaders.cmake from render/shaders/.\n#include \"render/shaders.h\"\n\n")
string(APPEND text "const rv_shader_text rv_shader_texts[] = {\n")
foreach(shader IN LISTS SHADERS)
    get_filename_component(name ${shader} NAME_WE)
    file(READ ${shader} source)
    string(REPLACE "\\" "\\\\" source "${source}")
    string(REPLACE "\"" "\\\"" source "${source}")
    string(REPLACE "\n" "\\n\"\n     \"" source "${source}")
    string(APPEND text "    {\"${name}\",\n     \"${source}\"},\n")
endforeach()
string(APPEND text "    {0, 0}};\n")
file(WRITE ${OUT} "${text}")
