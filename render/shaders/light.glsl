// Light that arrives: from the room by direction, on a sheet by its normal.
uniform samplerCube room;

// From the world's directions to the room's.
vec3 turned(vec3 d)
{
    return vec3(turn.x * d.x + turn.y * d.y, turn.x * d.y - turn.y * d.x, d.z);
}

// What a surface of a roughness sees in a mirrored direction.
vec3 mirrored(vec3 d, float rough)
{
    return textureLod(room, turned(d), rough * turn.z).rgb;
}

// Diffuse light without the lamp, of a white sheet.
vec3 sky_light(vec3 world)
{
    vec3 n = turned(world);
    vec3 c = sky[0].rgb + sky[1].rgb * n.y + sky[2].rgb * n.z + sky[3].rgb * n.x;
    c += sky[4].rgb * (n.x * n.y) + sky[5].rgb * (n.y * n.z) + sky[6].rgb * (3.0 * n.z * n.z - 1.0);
    c += sky[7].rgb * (n.x * n.z) + sky[8].rgb * (n.x * n.x - n.y * n.y);
    return max(c, vec3(0.0));
}

// A number in 0 … 1 by pixel that is as different as can be from those around it (Jimenez 2014).
float grain(vec2 pixel)
{
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

// Of light that the room sends, what is left where the lamp is hidden.
vec3 without_lamp(vec3 light, float seen)
{
    return light - max(light - vec3(1.1), vec3(0.0)) * (1.0 - seen);
}
