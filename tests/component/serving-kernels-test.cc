// SPDX-License-Identifier: GPL-2.0-only
// Serving, and single passes, with kernel times of a table or with efficiencies by kind of kernel.
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/serve-yaml.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// One NPU, or a switch of several; a byte of traffic is free.
std::string
WithCompute(const std::string& compute, const std::string& workload)
{
    return R"(
network:
  backend: analytical
  dimensions: [{shape: switch, size: 2, bandwidth: 50 GB/s, latency: 500 ns}]
system:
  endpoint-delay: 0 ns
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1000000 TB/s, )" +
           compute + "}\n" + workload;
}

} // namespace

TEST_CASE("Kernel table: one server with a service of one row", "[component][serving]")
{
    const test::ScratchDirectory scratch("one-row");
    const std::string table = scratch.Write("row.csv", "op,us\ngemm,50\n").string();
    // Two projections and two products of the MLP, 50 us each; the core of the attention, 4 h for
    // each of 256 x 257 / 2 pairs, is outside the table.
    const FlopRate peak = FlopRate::FromFlopsPerSecond(100'000'000'000'000);
    const SimTime service =
        SimTime::FromUs(4 * 50) + Flops(int64_t{4} * 1024 * 256 * 257 / 2) / peak;
    const ServedRun run = ServeYaml({WithCompute("kernels: " + table + ", outside: roofline", R"(
workload:
  serve:
    model: {layers: 1, hidden: 1024, heads: 8, vocabulary: 0}
    requests: {rate: 4000 /s, count: 20000, input: 256, output: 1}
    batching: {max-requests: 1}
    instances: [{tp: 1}]
)")});
    REQUIRE(run.results.status == RunStatus::Done);
    REQUIRE(run.requests.size() == 20000);
    SimTime free;
    for (const auto& [id, request] : run.requests)
    {
        free = std::max(request.arrival, free) + service;
        REQUIRE(request.firstToken == free);
        REQUIRE(request.Ttft() == free - request.arrival);
    }
    // M/D/1 at load 0.81; 20 000 requests scatter.
    const double d = service.Ns() / 1e9;
    const double r = 4000;
    CHECK(run.results.serving->ttft.Mean().Ns() / 1e9 ==
          Approx(d + r * d * d / (2 * (1 - r * d))).epsilon(0.1));
}

TEST_CASE("Kernel table: a kernel outside it ends the run, and is named", "[component][serving]")
{
    const test::ScratchDirectory scratch("outside");
    const std::string rows = "op,dtype,m,us\ngemm,bf16,1,10\ngemm,bf16,128,20\n"
                             "attention-prefill,bf16,1,5\nattention-prefill,bf16,128,6\n"
                             "copy,bf16,1,1\ncopy,bf16,1000,1\n";
    const auto messageOf = [&](const std::string& text, const std::string& workload)
    {
        const std::string table = scratch.Write("k.csv", text).string();
        return scratch.WithoutPath(
            ConfigErrorText([&] { ServeYaml({WithCompute("kernels: " + table, workload)}); }));
    };
    const std::string serve = R"(
workload:
  serve:
    model: {layers: 1, hidden: 64, heads: 8, vocabulary: 0}
    requests: {arrivals: closed, users: 1, count: 1, input: 100, output: 2}
    instances: [{tp: 1}]
)";
    // The prompt is inside; the second token needs a core of decode.
    CHECK(messageOf(rows, serve) ==
          "k.csv: has no time for the kernel attention-decode bf16 tp=1 k=8 n=8 batch=1 "
          "context=101 bytes=26112 operations=25856: it has no rows for attention-decode of bf16; "
          "add rows that surround it, or write system.compute.outside: roofline");
    // A job that is known beforehand is refused before it runs.
    CHECK(messageOf(rows, R"(
workload:
  generate: {model: transformer, phase: prefill, layers: 1, hidden: 64, heads: 8, sequence: 129, batch: 1, vocabulary: 0, dp: 1}
  ranks: 1
)") == "k.csv: has no time for the kernel gemm bf16 tp=1 k=64 n=192 m=129 bytes=90624 "
       "operations=3170304: there its rows for gemm of bf16 have m from 1 to 128; add rows that "
       "surround it, or write system.compute.outside: roofline");
}

TEST_CASE("Kernel efficiency: the example of the issue", "[component][serving]")
{
    // h 4096, 2 layers of 12 h^2 weights, and a core of 4 h for each pair.
    const double tokens = 2048;
    const double h = 4096;
    const double products = 2 * 2 * tokens * 12 * h * h;
    const double pairs = tokens * (tokens + 1) / 2;
    const double core = 2 * 4 * h * pairs;
    const auto pass = [](const std::string& efficiency)
    {
        return RunYaml({WithCompute(efficiency, R"(
workload:
  generate: {model: transformer, phase: prefill, layers: 2, hidden: 4096, heads: 32, sequence: 2048, batch: 1, vocabulary: 0, dp: 1}
  ranks: 1
)")})
            .finish.Ns();
    };
    const double peak = 1e5; // operations for each nanosecond
    CHECK(pass("efficiency: {gemm: 0.7, attention: 0.5, memory: 0.8}") ==
          Approx(products / (0.7 * peak) + core / (0.5 * peak)).epsilon(1e-6));
    CHECK(pass("efficiency: {}") == Approx((products + core) / peak).epsilon(1e-6));
    CHECK(pass("scale: 1.0") == pass("efficiency: {gemm: 1}"));
}

TEST_CASE("Kernel efficiency: decode is bound by its share of the memory bandwidth",
          "[component][serving]")
{
    const auto pass = [](const std::string& efficiency)
    {
        return RunYaml({R"(
network: {backend: analytical, dimensions: [{shape: switch, size: 2, bandwidth: 50 GB/s, latency: 500 ns}]}
system:
  compute: {model: roofline, peak: 1000 TFLOP/s, memory-bandwidth: 1 TB/s, efficiency: )" +
                        efficiency + R"(}
workload:
  generate: {model: transformer, preset: llama3-8b, phase: decode, context: 1000, batch: 4, dp: 1, tp: 1}
  ranks: 1
)"})
            .finish.Ns();
    };
    CHECK(pass("{memory: 0.8}") == Approx(pass("{}") / 0.8).epsilon(1e-6));
    CHECK(pass("{gemm: 0.7, attention: 0.5}") == pass("{}"));
}

TEST_CASE("Attention and experts apart: micro-batches of one size, of more and more",
          "[component][serving]")
{
    // A stage of the attention takes 30 + 30 (projections) + 30 (core) + 10 us (router), one of the
    // experts 50 + 50 us, a transfer x of that. So one micro-batch takes L (2 + 2 x) stages, two of
    // them take hardly longer, and three at least 3 L: 1 + x times the throughput of two
    // (MegaScale-Infer, arXiv 2504.02263: measured 1.9, and 1.10 to 1.38).
    const test::ScratchDirectory scratch("apart");
    const std::string table = scratch
                                  .Write("k.csv",
                                         "op,us\ngemm,30\nattention-prefill,30\nrouter,10\n"
                                         "grouped-gemm,50\ncopy,0.000001\n")
                                  .string();
    const double layers = 64;
    const double bytes = 64 * 1024 * 2; // of a micro-batch
    const auto throughputOf = [&](double share, int micro)
    {
        const std::string rate = std::to_string(int64_t(bytes / (share * 100e-6))) + " B/s";
        const std::string count = std::to_string(micro);
        const ServedRun run = ServeYaml({R"(
network:
  backend: packet
  dimensions: [{shape: switch, size: 2, bandwidth: )" +
                                         rate + R"(, latency: 1 ns}]
  packet: {header: 0 B, payload: 1 KiB}
system:
  compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s, kernels: )" +
                                         table + R"(}
  endpoint-delay: 0 ns
workload:
  serve:
    model: {layers: 64, hidden: 1024, heads: 8, experts: 4, top-k: 1, expert-ffn: 512, vocabulary: 0}
    requests: {arrivals: closed, users: )" +
                                         count + ", count: " + count + R"(, input: 64, output: 1}
    batching: {max-tokens: 768}
    instances:
      - {role: attention, name: a, micro-batches: )" +
                                         count + R"(}
      - {role: ffn, pair: a, ep: 1}
)"});
        REQUIRE(run.results.status == RunStatus::Done);
        REQUIRE(run.requests.size() == size_t(micro));
        // The exact formula, in us.
        const double sum = 200 + 2 * 100 * share;
        const double exact =
            std::max(layers * micro * 100 + sum - 100, layers * sum + (micro - 1) * 100);
        CHECK(run.results.finish.Ns() / 1e3 == Approx(exact).epsilon(0.01));
        return micro / run.results.finish.Ns();
    };
    for (const double share : {0.10, 0.20, 0.38})
    {
        CAPTURE(share);
        const double one = throughputOf(share, 1);
        const double two = throughputOf(share, 2);
        const double three = throughputOf(share, 3);
        CHECK(two / one > 1.9);
        CHECK(two / one < 2.0);
        CHECK(three / two == Approx(1 + share).epsilon(0.01));
    }
}
