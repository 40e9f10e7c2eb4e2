// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

namespace nadi
{

/// A model of a second or two of compute, on NPUs without much of a network.
inline const std::string SMALL_CLUSTER = R"(
network:
  backend: analytical
  dimensions: [{shape: switch, size: 16, bandwidth: 50 GB/s, latency: 500 ns}]
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}
  endpoint-delay: 0 ns
workload:
  serve:
    model: {layers: 4, hidden: 1024, heads: 8, kv-heads: 8, vocabulary: 1000}
)";

/// The small cluster with more keys of `workload.serve`, each line indented by four.
inline std::string
WithServe(const std::string& rest)
{
    return SMALL_CLUSTER + rest;
}

} // namespace nadi
