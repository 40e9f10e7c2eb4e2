// SPDX-License-Identifier: GPL-2.0-only
// When do keys and values leave the instance that computed them, and when does the other one go on?
#include "tests/support/serve-yaml.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

using namespace nadi;

namespace
{

constexpr int64_t LAYERS = 4;
constexpr int64_t HEADER = 64;
constexpr int64_t LATENCY_PS = 500'000;

/// A wire from each NPU to each other one, so that frames are stored nowhere on their way.
std::string
KvYaml(const std::string& rate, const std::string& serve)
{
    return "network:\n"
           "  dimensions: [{shape: fully-connected, size: 5, bandwidth: " +
           rate + R"(, latency: 500 ns}]
  packet: {payload: 4 KiB, header: 64 B}
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 100 TB/s}
  endpoint-delay: 0 ns
workload:
  serve:
    model: {layers: 4, hidden: 1024, heads: 8, kv-heads: 8, vocabulary: 0}
)" + serve;
}

std::string
KvTransfer(const std::string& when, const std::string& mode)
{
    return "    kv-transfer: {when: " + when + ", mode: " + mode + "}\n";
}

const std::string ONE_REQUEST = "    requests: {rate: 1 /s, count: 1, input: 512, output: 4}\n";
const std::string ONE_TO_ONE = "    instances: [{role: prefill}, {role: decode}]\n";

/// Keys and values of a token in one layer: 8 heads of 128 numbers, twice, of 2 B.
constexpr int64_t BYTES_OF_LAYER = 2 * 8 * 128 * 2;

/// Until the last bit has left: each frame of 4 KiB has a header.
int64_t
WirePs(int64_t bytes, int64_t bytesOfNs)
{
    const int64_t frames = (bytes + 4095) / 4096;
    return (bytes + frames * HEADER) * 1000 / bytesOfNs;
}

/// What an acknowledgement occupies a wire for, as large as a header.
int64_t
AcknowledgementPs(int64_t bytesOfNs)
{
    return HEADER * 1000 / bytesOfNs;
}

/// Of what asks: a header, and its way. Its acknowledgement leaves before what it asks for.
int64_t
AskPs(int64_t bytesOfNs)
{
    return HEADER * 1000 / bytesOfNs + LATENCY_PS;
}

RequestRecord
ServeOne(const std::string& yaml)
{
    const ServedRun run = ServeYaml({yaml});
    REQUIRE(run.results.status == RunStatus::Done);
    REQUIRE(run.requests.size() == 1);
    return run.requests.at(0);
}

/// What the first ranks sent point to point: of prefill, keys and values only.
double
SentByRanks(const ServedRun& run, uint32_t ranks)
{
    double sent = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (const CommunicationTotal& total : run.results.ranks[rank].communication)
        {
            sent += total.kind.collective ? 0 : double(total.size.Count());
        }
    }
    return sent;
}

} // namespace

TEST_CASE("KV transfer: at the end it takes the time of its bytes, and one more trip to ask",
          "[component][serving]")
{
    const int64_t bytes = 512 * LAYERS * BYTES_OF_LAYER;
    for (const auto& [rate, bytesOfNs] : {std::pair("50 GB/s", 50), {"5 GB/s", 5}})
    {
        CAPTURE(rate);
        const auto transferOf = [&, rate = rate](const std::string& mode)
        {
            return ServeOne(KvYaml(rate, ONE_REQUEST + KvTransfer("end", mode) + ONE_TO_ONE))
                .transfer.Ps();
        };
        const int64_t push = WirePs(bytes, bytesOfNs) + LATENCY_PS;
        CHECK(transferOf("push") == push);
        CHECK(transferOf("pull") == push + AskPs(bytesOfNs) + AcknowledgementPs(bytesOfNs));
    }
}

TEST_CASE("KV transfer: alone it takes the ideal time of a flow of its bytes",
          "[component][serving]")
{
    // The layers are independent messages: their headers and the last one's way are all there is.
    const double bytes = 512.0 * LAYERS * BYTES_OF_LAYER;
    const std::string network = "network:\n  backend: packet\n  dimensions: [{shape: switch, size: "
                                "4, bandwidth: 50 GB/s, latency: 500 ns}]\n";
    const RunResults flow = RunYaml({network +
                                     "system: {endpoint-delay: 0 ns}\n"
                                     "workload: {flows: [{src: 0, dst: 1, size: " +
                                     std::to_string(int64_t(bytes)) + " B}]}\n"});
    REQUIRE(flow.status == RunStatus::Done);
    std::string yaml = KvYaml("50 GB/s", ONE_REQUEST + ONE_TO_ONE);
    yaml.replace(0, yaml.find("system:"), network);
    const ServedRun served = ServeYaml({yaml});
    CHECK(served.requests.at(0).transfer.Ns() == Approx(flow.finish.Ns()).epsilon(0.01));
}

TEST_CASE("KV transfer: layers leave when they are computed, beside the rest of the prompt",
          "[component][serving]")
{
    // All layers take the same time c, and their bytes the time x. Layer k of L leaves at the later
    // of its end and that of the one before. So the last one has left at max(L c + x, c + L x).
    for (const auto& [rate, bytesOfNs, layers] : {std::tuple("50 GB/s", 50, "all"),
                                                  {"5 GB/s", 5, "all"},
                                                  {"50 GB/s", 50, "1"},
                                                  {"5 GB/s", 5, "1"}})
    {
        CAPTURE(rate, layers);
        const std::string rest = ONE_REQUEST + "    layers: " + layers + "\n" + ONE_TO_ONE;
        const RequestRecord push = ServeOne(KvYaml(rate, KvTransfer("layer", "push") + rest));
        const RequestRecord pull = ServeOne(KvYaml(rate, KvTransfer("layer", "pull") + rest));
        const RequestRecord end = ServeOne(KvYaml(rate, KvTransfer("end", "push") + rest));
        const int64_t prefill = push.Prefill().Ps();
        CHECK(prefill == end.Prefill().Ps());
        const int64_t x = WirePs(512 * BYTES_OF_LAYER, bytesOfNs);
        const int64_t c = prefill / LAYERS;
        REQUIRE(LAYERS * c == prefill);
        REQUIRE((x < c) == (bytesOfNs == 50)); // one bound by each
        const auto transfer = [&](int64_t ofLayer)
        {
            const int64_t left = std::max(prefill + ofLayer, c + LAYERS * ofLayer);
            return left + LATENCY_PS - prefill;
        };
        CHECK(push.transfer.Ps() == transfer(x));
        CHECK(pull.transfer.Ps() == transfer(x + AcknowledgementPs(bytesOfNs)) + AskPs(bytesOfNs));
        CHECK(push.transfer < end.transfer);
    }
}

TEST_CASE("KV transfer: each chunk of a prompt sends its own layers", "[component][serving]")
{
    const std::string rest = ONE_REQUEST + "    batching: {max-tokens: 128}\n" + ONE_TO_ONE;
    const std::string yaml = KvYaml("50 GB/s", KvTransfer("layer", "push") + rest);
    const ServedRun run = ServeYaml({yaml});
    // The network is faster than the layers: the last layer of the last chunk is left.
    CHECK(run.requests.at(0).transfer.Ps() == WirePs(128 * BYTES_OF_LAYER, 50) + LATENCY_PS);
    CHECK(SentByRanks(run, 1) == 512.0 * LAYERS * BYTES_OF_LAYER);
}

TEST_CASE("KV transfer: whatever the cuts, layer by layer moves as many bytes as at the end",
          "[component][serving]")
{
    const std::string requests =
        "    requests: {rate: 2000 /s, count: 12, input: {distribution: uniform, min: 1, max: "
        "400}, output: {distribution: uniform, min: 1, max: 4}, prefix: {tokens: 64, groups: 1}}\n"
        "    batching: {max-tokens: 150, block: 8, prefix-cache: on, kv-memory: 12 MB}\n";
    // Ranks that send keys and values alone come first.
    const std::vector<std::tuple<std::string, uint32_t>> clusters{
        {"[{role: prefill, tp: 2}, {role: decode, tp: 1, dp: 2}]", 2},
        {"[{role: prefill}, {role: decode, tp: 2}]", 1},
        {"[{role: prefill, dp: 2}, {role: decode, pp: 2}]", 2},
    };
    for (const auto& [instances, ranks] : clusters)
    {
        CAPTURE(instances);
        const auto serve = [&, instances = instances](const std::string& when)
        {
            return ServeYaml({KvYaml("50 GB/s",
                                     requests + KvTransfer(when, "push") +
                                         "    instances: " + instances + "\n")});
        };
        const ServedRun layer = serve("layer");
        const ServedRun end = serve("end");
        REQUIRE(layer.results.status == RunStatus::Done);
        REQUIRE(layer.requests.size() == 12);
        double expected = 0;
        for (const auto& [id, request] : layer.requests)
        {
            expected += request.output > 1 ? double(request.input) * LAYERS * BYTES_OF_LAYER : 0;
        }
        CHECK(SentByRanks(layer, ranks) == expected);
        CHECK(SentByRanks(end, ranks) == expected);
    }
}

TEST_CASE("KV transfer: a prompt that is computed again sends nothing twice",
          "[component][serving]")
{
    // 427 tokens fit the prefill instance, and those that wait for the slow network stay there.
    const ServedRun run = ServeYaml({KvYaml("1 GB/s", KvTransfer("layer", "push") + R"(
    requests: {arrivals: closed, users: 6, count: 12, input: 250, output: 3}
    batching: {max-tokens: 150, block: 1, kv-memory: 7 MB}
    instances: [{role: prefill}, {role: decode, tp: 2, dp: 2}]
)")});
    REQUIRE(run.results.status == RunStatus::Done);
    uint64_t preemptions = 0;
    for (const auto& [id, request] : run.requests)
    {
        preemptions += request.preemptions;
    }
    CHECK(preemptions > 0);
    CHECK(SentByRanks(run, 1) == 12 * 250.0 * LAYERS * BYTES_OF_LAYER);
}

TEST_CASE("KV transfer: layer by layer, a prompt begins when the decode instance has room",
          "[component][serving]")
{
    const std::string rest = R"(
    requests: {arrivals: closed, users: 2, count: 2, input: 256, output: 8}
    batching: {max-requests: 1}
)" + ONE_TO_ONE;
    const ServedRun layer = ServeYaml({KvYaml("50 GB/s", KvTransfer("layer", "push") + rest)});
    const ServedRun end = ServeYaml({KvYaml("50 GB/s", KvTransfer("end", "push") + rest)});
    REQUIRE(layer.requests.size() == 2);
    CHECK(layer.requests.at(1).start == layer.requests.at(0).end);
    // At the end, the next prompt is computed meanwhile.
    CHECK(end.requests.at(1).start == end.requests.at(0).firstToken);
}

TEST_CASE("KV transfer: attention apart from its experts sends layers too", "[component][serving]")
{
    const std::string model = "    model: {layers: 4, hidden: 1024, heads: 8, kv-heads: 8, "
                              "vocabulary: 0, experts: 4, top-k: 2, expert-ffn: 512}\n";
    std::string yaml = KvYaml("50 GB/s", ONE_REQUEST + KvTransfer("layer", "push") + R"(
    batching: {max-tokens: 512}
    instances:
      - {role: attention, name: a, phase: prefill, micro-batches: 2}
      - {role: ffn, pair: a, ep: 1}
      - {role: decode}
)");
    const size_t old = yaml.find("    model: {layers");
    yaml.replace(old, yaml.find('\n', old) + 1 - old, model);
    const RequestRecord request = ServeOne(yaml);
    // The network is faster than the layers: one layer is left.
    CHECK(request.transfer.Ps() == WirePs(512 * BYTES_OF_LAYER, 50) + LATENCY_PS);
}
