// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-cases.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi::test;

namespace
{

/// A cluster with this model, these requests, instances and further keys.
std::string
WithServe(const std::string& model, const std::string& requests, const std::string& rest)
{
    return WithWorkload("{serve: {model: {preset: " + model + "}, requests: " + requests + ", " +
                        rest + "}}");
}

const std::string OPEN = "{rate: 5 /s}";
const std::string ONE = "instances: [{tp: 1}]";

} // namespace

TEST_CASE("Configuration errors: serving", "[golden][cli]")
{
    const std::string serve = "c.yaml:2: workload.serve";
    CheckAll({
        {WithServe("llama3-8b", "{count: 3}", ONE),
         serve + R"(.requests: key "rate" is missing; write requests in a time, such as 20 /s or )"
                 R"(90 /min)"},
        {WithServe("llama3-8b", "{rate: 0 /s}", ONE),
         serve + R"(.requests.rate: "0 /s" is not valid; write requests in a time, such as 20 /s )"
                 R"(or 90 /min)"},
        {WithServe("llama3-8b", "{arrivals: closed, rate: 5 /s}", ONE),
         serve + ".requests.rate: has an effect with arrivals: poisson, gamma or constant only; "
                 "remove it"},
        {WithServe(
             "llama3-8b", "{rate: 5 /s, input: {distribution: uniform, min: 5, max: 2}}", ONE),
         serve + ".requests.input.max: is below min, 5; write a larger number"},
        {WithServe("llama3-8b", OPEN, "instances: []"),
         serve + ".instances: is empty; write at least one instance, such as {role: both, tp: 8}"},
        {WithServe("llama3-8b", OPEN, "instances: [{role: prefill}]"),
         serve + ".instances: prefill without decode; add an instance of role decode, or use role "
                 "both"},
        {WithServe("llama3-405b", OPEN, ONE),
         serve + ".instances[0]: the weights of a rank, 811.7 GB, do not fit nine tenths of its "
                 "memory of 80 GB; write a larger tp, pp or ep, or more memory"},
        {WithServe("mixtral-8x7b", OPEN, "instances: [{dp: 3, ep: 3}]"),
         serve + ".instances[0]: ep: ep 3 does not divide the experts, 8; write a divisor of 8"},
        {WithServe("llama3-8b", OPEN, "instances: [{dp: 2, ep: 2}]"),
         serve + ".instances[0]: ep: there are no experts to share out; remove ep, or use a model "
                 "with experts"},
        {WithServe("mixtral-8x7b", OPEN, "instances: [{role: attention, name: a}]"),
         serve + ".instances[0]: attention without ffn: its experts lie nowhere; add {role: ffn, "
                 "pair: a, ep: ...}"},
        {WithServe("mixtral-8x7b", OPEN, "instances: [{role: ffn, pair: b, ep: 4}]"),
         serve + R"(.instances[0]: pair: there is no attention instance "b" without experts; )"
                 "write the name of one"},
        {WithServe("llama3-8b", OPEN, ONE + ", layers: 40"),
         serve + ".layers: both0 has 32 layers in a stage; write 32 or fewer, or all"},
        {WithServe("mixtral-8x7b",
                   OPEN,
                   "instances: [{role: attention, name: a, tp: 2}, {role: ffn, pair: a, ep: 2}], "
                   "layers: 1"),
         serve + ".layers: the layers of attention0 and its experts overlap, so a single one does "
                 "not tell how much each further one adds; write 2 or more, or all"},
        {WithServe("llama3-8b", OPEN, ONE + ", slo: {ttft: 150}"),
         serve + R"(.slo.ttft: "150" has no unit; write "150 ns" or "150 us")"},
        {WithServe("llama3-8b", OPEN, ONE + ", experts: {routing: {zipf: 1, dirichlet: 1}}"),
         serve + ".experts.routing: needs one of zipf, dirichlet and trace"},
        {WithServe("llama3-8b", OPEN, ONE + ", batching: {kv-memory: 1 KB}"),
         serve + ".instances[0]: its weights leave no room for keys and values; write more memory "
                 "or kv-memory"},
        {WithServe("llama3-8b", OPEN, ONE + ", batching: {kv-memory: 70 GB}"),
         serve + ".instances[0]: a rank of both0 holds 16.1 GB of weights, 70.0 GB of keys and "
                 "values and 0.2 GB of activations, more than its memory of 80 GB; write a smaller "
                 "kv-memory or max-tokens, or more memory"},
        {WithServe("llama3-8b", OPEN, ONE + ", kv-transfer: {mode: fetch}"),
         serve + R"(.kv-transfer.mode: "fetch" is not valid; write push or pull)"},
        {WithServe("llama3-8b", OPEN, ONE + ", kv-transfer: {mode: pull}"),
         serve + ".kv-transfer: has an effect with instances of role prefill and decode only; "
                 "remove it"},
        {WithServe("llama3-8b", OPEN, ONE + ", experts: {routing: balanced}"),
         serve +
             ".experts: the model has no experts; remove this key, or use a model with experts, "
             "and ep above 1"},
        {WithServe("mixtral-8x7b", OPEN, "instances: [{tp: 4}], experts: {routing: balanced}"),
         serve + ".experts: has no effect with ep 1, where each rank has a part of every expert; "
                 "remove it, or write a larger ep at an instance"},
        {WithServe("mixtral-8x7b",
                   OPEN,
                   "instances: [{role: attention, name: a, tp: 2}, {role: ffn, pair: a, ep: 2}], "
                   "experts: {copies: per-rank}"),
         serve +
             ".experts: has no effect on an ffn instance, whose experts get equal shares of all "
             "tokens; remove it"},
        {WithServe("mixtral-8x7b",
                   OPEN,
                   "instances: [{tp: 2, dp: 2, ep: 4}], experts: {replicas: {hottest: 4}}"),
         serve +
             ".experts.replicas: hottest: 4 without copies: each expert lies on one rank; write "
             "{hottest: 4, copies: 2}"},
        {WithServe("mixtral-8x7b",
                   OPEN,
                   "instances: [{tp: 2, dp: 2, ep: 4}], experts: {replicas: {copies: 2}}"),
         serve + ".experts.replicas: copies: 2 without hottest: of no expert; write {hottest: 1, "
                 "copies: 2}"},
        {WithServe("llama3-8b", OPEN, "instances: [{tp: 2, npus: [0]}]"),
         serve + ".instances[0].npus: names 1 NPUs for 2 ranks; write one for each rank"},
        {WithServe("llama3-8b", OPEN, "instances: [{tp: 2, npus: [1, 1]}]"),
         serve + ".instances[0].npus[1]: npu1 hosts rank 0 already; write an NPU of its own for "
                 "each rank"},
        {WithServe("llama3-8b", OPEN, "instances: [{npus: [1]}, {npus: [1]}]"),
         serve + ".instances[1].npus: npu1 is of instances[0] already; write an NPU of its own for "
                 "each rank"},
        {WithServe("llama3-8b", OPEN, "instances: [{npus: [99]}]"),
         serve + ".instances[0].npus: there is no npu99 for rank 0: the network has 4 NPUs; write "
                 "numbers below 4"},
        {WithServe("llama3-8b", OPEN, ONE),
         "c.yaml:2: workload.serve needs system.compute: {model: roofline, ...}; without it no "
         "kernel would take any time"},
        {WithServe("mixtral-8x7b",
                   OPEN,
                   "instances: [{tp: 2, dp: 2, ep: 4}], experts: {replicas: {hottest: 1, copies: "
                   "9}}"),
         "c.yaml:2: workload.serve.experts: replicas: copies 9: write 1 to 4, the number of ranks"},
    });
}
