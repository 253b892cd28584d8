// S3_WEBGPU=off: a browser without WebGPU, in which the GPU tests must fail.
Object.defineProperty(navigator, 'gpu', { value: undefined });
