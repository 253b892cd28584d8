// Sums and maxima over a workgroup of WIDTH invocations, always in the same tree. All invocations get the result.

var<workgroup> reduced: array<f32, WIDTH>;
var<workgroup> reduced_to: f32;

fn sum_all(lane: u32, value: f32) -> f32 {
  reduced[lane] = value;
  workgroupBarrier();
  for (var step = WIDTH / 2u; step > 0u; step = step / 2u) {
    if (lane < step) {
      reduced[lane] = reduced[lane] + reduced[lane + step];
    }
    workgroupBarrier();
  }
  if (lane == 0u) {
    reduced_to = reduced[0];
  }
  return workgroupUniformLoad(&reduced_to);
}

fn max_all(lane: u32, value: f32) -> f32 {
  reduced[lane] = value;
  workgroupBarrier();
  for (var step = WIDTH / 2u; step > 0u; step = step / 2u) {
    if (lane < step) {
      reduced[lane] = max(reduced[lane], reduced[lane + step]);
    }
    workgroupBarrier();
  }
  if (lane == 0u) {
    reduced_to = reduced[0];
  }
  return workgroupUniformLoad(&reduced_to);
}
