// Compares two pictures as tests/test_golden.c does: differences of OKLab of pictures blurred by a pixel. This
// function runs in the page, which can read any picture; it gets and gives plain values.
export function compareInPage([now, then]) {
    const linear = c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const lab = ([r, g, b]) => {
        const l = Math.cbrt(0.4122215 * r + 0.5363325 * g + 0.051446 * b), m = Math.cbrt(0.2119035 * r + 0.6806996 * g + 0.107397 * b),
            s = Math.cbrt(0.0883025 * r + 0.2817188 * g + 0.6299788 * b);
        return [0.2104543 * l + 0.7936178 * m - 0.004072 * s, 1.9779985 * l - 2.4285922 * m + 0.4505937 * s, 0.0259040 * l + 0.7827718 * m - 0.8086758 * s];
    };
    const read = async base64 => {
        const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), { colorSpaceConversion: 'none' });
        const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
        pen.drawImage(image, 0, 0);
        return pen.getImageData(0, 0, image.width, image.height);
    };
    const seen = (image, x, y) => {
        const sum = [0, 0, 0];
        let count = 0;
        for (let j = Math.max(0, y - 1); j <= Math.min(image.height - 1, y + 1); j++)
            for (let i = Math.max(0, x - 1); i <= Math.min(image.width - 1, x + 1); i++, count++)
                for (let c = 0; c < 3; c++) sum[c] += linear(image.data[4 * (j * image.width + i) + c] / 255);
        return lab(sum.map(v => v / count));
    };
    return (async () => {
        const a = await read(now), b = await read(then);
        if (a.width !== b.width || a.height !== b.height) return { mean: 1, share: 1, size: [a.width, a.height] };
        let mean = 0, many = 0;
        for (let y = 0; y < a.height; y++)
            for (let x = 0; x < a.width; x++) {
                const p = seen(a, x, y), q = seen(b, x, y), e = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
                mean += e;
                many += e > 0.08;
            }
        const pixels = a.width * a.height;
        return { mean: mean / pixels, share: many / pixels };
    })();
}
