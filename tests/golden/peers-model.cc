// SPDX-License-Identifier: GPL-2.0-only
#include "tests/golden/peers-model.h"

#include <algorithm>
#include <cmath>

namespace nadi::test
{

namespace
{

constexpr double LATENCY_NS = 500;
constexpr double ENDPOINT_NS = 10;
constexpr double MEMORY_BYTES_PER_NS = 1600;
constexpr double ACCESSES_OF_A_REDUCTION = 3; // two reads, one write

/// The frames of one message: all full but the last.
struct Frames
{
    uint64_t full;
    uint64_t rest; ///< payload of the short one; 0: there is none
};

Frames
FramesOf(uint64_t bytes, const PeerPackets& packets)
{
    return {.full = bytes / packets.payload, .rest = bytes % packets.payload};
}

double
EndpointNs(const PeerSteps& steps)
{
    const double accessed = ACCESSES_OF_A_REDUCTION * static_cast<double>(steps.reducedBytes);
    return ENDPOINT_NS + accessed / MEMORY_BYTES_PER_NS;
}

/// As a picosecond clock has it: rounded up.
double
FrameNs(uint64_t payload, const PeerSteps& steps, const PeerPackets& packets)
{
    constexpr uint64_t picoseconds = 1000 * 1000 * 1000 * 1000ull;
    const uint64_t bits = 8 * (payload + packets.header + packets.telemetry);
    const uint64_t rate = steps.link.bitsPerSecond;
    return static_cast<double>((bits * picoseconds + rate - 1) / rate) / 1e3;
}

double
BytesPerNs(const PeerSteps& steps)
{
    return static_cast<double>(steps.link.bitsPerSecond) / 8e9;
}

double
StepNs(const PeerSteps& steps, const PeerPackets& packets)
{
    const Frames frames = FramesOf(steps.bytes, packets);
    const double full = FrameNs(packets.payload, steps, packets);
    const double rest = frames.rest > 0 ? FrameNs(frames.rest, steps, packets) : 0;
    const double sending = steps.messages * (static_cast<double>(frames.full) * full + rest);
    // At a switch the last full frame is sent again; the short one follows on its heels.
    return sending + (steps.link.hops - 1) * full + steps.link.hops * LATENCY_NS +
           EndpointNs(steps);
}

/// Times on a clock of picoseconds (FrameNs rounds) or of whole nanoseconds.
using Clock = double (*)(double);

double
AsIs(double ns)
{
    return ns;
}

double
ToWholeNs(double ns)
{
    return std::round(ns);
}

double
AcknowledgementNs(const PeerSteps& steps, const PeerPackets& packets)
{
    return static_cast<double>(packets.acknowledgement + packets.telemetry) / BytesPerNs(steps);
}

double
AnsweredStepNs(const PeerSteps& steps, const PeerPackets& packets, Clock clock)
{
    const Frames frames = FramesOf(steps.bytes, packets);
    const double full = clock(FrameNs(packets.payload, steps, packets));
    const double rest = frames.rest > 0 ? clock(FrameNs(frames.rest, steps, packets)) : 0;
    const double count = static_cast<double>(steps.messages * frames.full);
    const double firstArrival = steps.link.hops * (full + LATENCY_NS);
    const double framesBefore = std::min(count, std::floor(firstArrival / full));
    const double answers = steps.link.acksSharePort ? count - framesBefore : 0;
    return count * full + steps.messages * rest +
           answers * clock(AcknowledgementNs(steps, packets)) + (steps.link.hops - 1) * full +
           steps.link.hops * LATENCY_NS + EndpointNs(steps);
}

double
AcknowledgedStepNs(const PeerSteps& steps, const PeerPackets& packets)
{
    return AnsweredStepNs(steps, packets, &AsIs);
}

double
PeerStepNs(const PeerSteps& steps, const PeerPackets& packets)
{
    const double answer = ToWholeNs(AcknowledgementNs(steps, packets));
    const double returning = steps.link.hops * (answer + LATENCY_NS);
    return AnsweredStepNs(steps, packets, &ToWholeNs) + returning;
}

double
SumOf(const std::vector<PeerSteps>& list,
      const PeerPackets& packets,
      double (*stepNs)(const PeerSteps&, const PeerPackets&))
{
    double sum = 0;
    for (const PeerSteps& steps : list)
    {
        sum += steps.count * stepNs(steps, packets);
    }
    return sum;
}

double
AlphaBetaStepNs(const PeerSteps& steps, const PeerPackets& /*packets*/)
{
    return steps.messages * static_cast<double>(steps.bytes) / BytesPerNs(steps) +
           steps.link.hops * LATENCY_NS;
}

double
BurstOfStepNs(const PeerSteps& steps, const PeerPackets& packets)
{
    return steps.messages > 1 ? steps.messages * FrameNs(packets.payload, steps, packets) : 0;
}

constexpr uint64_t MIB = 1024 * 1024;
constexpr uint64_t GIB = 1024 * MIB;
constexpr PeerLink SWITCH{.bitsPerSecond = 400'000'000'000, .hops = 2, .acksSharePort = true};
// Data go one way round; their acknowledgements have the other direction to themselves.
constexpr PeerLink RING{.bitsPerSecond = 8 * 62 * GIB, .hops = 1, .acksSharePort = false};

std::vector<PeerSteps>
RingAllReduce(const PeerLink& link, uint32_t npus, uint64_t bytes)
{
    return {{.link = link, .count = npus - 1, .bytes = bytes / npus, .reducedBytes = bytes / npus},
            {.link = link, .count = npus - 1, .bytes = bytes / npus, .reducedBytes = 0}};
}

PeerCase
SwitchRingCase(const std::string& name, uint32_t npus, uint64_t bytes)
{
    return {.name = name, .steps = RingAllReduce(SWITCH, npus, bytes)};
}

/// The peer charges every reduction for the shard that a rank ends with, whatever was received.
PeerCase
HalvingDoublingCase(const std::string& name, uint32_t npus, uint64_t bytes)
{
    PeerCase peerCase{.name = name};
    for (uint32_t parts = 2; parts <= npus; parts *= 2)
    {
        const uint64_t part = bytes / parts;
        const PeerSteps gather{.link = SWITCH, .count = 1, .bytes = part, .reducedBytes = 0};
        PeerSteps scatter = gather;
        scatter.reducedBytes = part;
        peerCase.steps.insert(peerCase.steps.end(), {scatter, gather});
        scatter.reducedBytes = bytes / npus;
        peerCase.peerSteps.insert(peerCase.peerSteps.end(), {scatter, gather});
    }
    return peerCase;
}

PeerSteps
DirectSteps(uint32_t npus, uint64_t bytes, uint64_t reducedBytes)
{
    return {.link = SWITCH,
            .count = 1,
            .bytes = bytes / npus,
            .reducedBytes = reducedBytes,
            .messages = npus - 1};
}

/// Reduce-scatter along one dimension, all-reduce along the other, all-gather back.
PeerCase
TorusAllReduceCase(const std::string& name, uint32_t side, uint64_t bytes)
{
    PeerCase peerCase{.name = name, .steps = RingAllReduce(RING, side, bytes)};
    for (const PeerSteps& steps : RingAllReduce(RING, side, bytes / side))
    {
        peerCase.steps.push_back(steps);
    }
    return peerCase;
}

/// Round each dimension in turn. Nadi forwards all blocks that are not yet home as one message,
/// p - k of them in step k; the peer makes every block of every step wait for the one before.
PeerCase
TorusAllToAllCase(const std::string& name, uint32_t side, uint64_t bytes)
{
    PeerCase peerCase{.name = name};
    constexpr uint32_t dimensions = 2;
    const uint64_t block = bytes / side;
    for (uint32_t blocks = side - 1; blocks > 0; --blocks)
    {
        peerCase.steps.push_back(
            {.link = RING, .count = dimensions, .bytes = blocks * block, .reducedBytes = 0});
    }
    peerCase.peerSteps.push_back({.link = RING,
                                  .count = dimensions * side * (side - 1) / 2,
                                  .bytes = block,
                                  .reducedBytes = 0});
    return peerCase;
}

PeerCase
LargePayloadCase(const std::string& name, uint64_t payload)
{
    PeerCase peerCase = SwitchRingCase(name, 8, 16 * MIB);
    peerCase.packets.payload = payload;
    peerCase.peerPackets.payload = payload;
    return peerCase;
}

/// HPCC has room for five hops' records of 8 B and a count of 2 B in every frame.
constexpr uint64_t HPCC_TELEMETRY = 5 * 8 + 2;

PeerCase
HpccCase(const std::string& name)
{
    PeerCase peerCase = SwitchRingCase(name, 8, 16 * MIB);
    peerCase.peerPackets.telemetry = HPCC_TELEMETRY;
    return peerCase;
}

/// `base` under the three congestion controls that were measured: none, DCQCN (`_cc1`) and HPCC
/// (`_cc3`), whose telemetry Nadi's frames are given too.
std::vector<PeerCase>
UnderEachControl(const PeerCase& base)
{
    PeerCase dcqcn = base;
    dcqcn.name += "_cc1";
    PeerCase hpcc = base;
    hpcc.name += "_cc3";
    hpcc.packets.telemetry = HPCC_TELEMETRY;
    hpcc.peerPackets.telemetry = HPCC_TELEMETRY;
    return {base, dcqcn, hpcc};
}

} // namespace

double
AlphaBetaNs(const PeerCase& peerCase)
{
    return SumOf(peerCase.steps, peerCase.packets, &AlphaBetaStepNs);
}

double
PacketNs(const PeerCase& peerCase)
{
    return SumOf(peerCase.steps, peerCase.packets, &StepNs);
}

double
AcknowledgedNs(const PeerCase& peerCase)
{
    return SumOf(peerCase.steps, peerCase.packets, &AcknowledgedStepNs);
}

double
PeerPacketNs(const PeerCase& peerCase)
{
    const auto& steps = peerCase.peerSteps.empty() ? peerCase.steps : peerCase.peerSteps;
    return SumOf(steps, peerCase.peerPackets, &PeerStepNs);
}

double
BurstNs(const PeerCase& peerCase)
{
    return SumOf(peerCase.steps, peerCase.packets, &BurstOfStepNs);
}

std::vector<PeerCase>
MakePeerCases()
{
    return {
        {.name = "a2a_direct_sw8_16MB", .steps = {DirectSteps(8, 16 * MIB, 0)}},
        TorusAllToAllCase("a2a_ring_torus8x8_1MB", 8, MIB),
        {.name = "ag_ring_sw8_1MB",
         .steps = {{.link = SWITCH, .count = 7, .bytes = MIB, .reducedBytes = 0}}},
        {.name = "ar_direct_sw8_16MB",
         .steps = {DirectSteps(8, 16 * MIB, 2 * MIB), DirectSteps(8, 16 * MIB, 0)}},
        HalvingDoublingCase("ar_halvingDoubling_sw8_16MB", 8, 16 * MIB),
        {.name = "ar_ring_ring8_1MB", .steps = RingAllReduce(RING, 8, MIB)},
        SwitchRingCase("ar_ring_sw16_16MB", 16, 16 * MIB),
        HpccCase("ar_ring_sw8_16MB_cc3"),
        LargePayloadCase("ar_ring_sw8_16MB_p4096", 4096),
        SwitchRingCase("ar_ring_sw8_1MB", 8, MIB),
        TorusAllReduceCase("ar_ring_torus8x8_1MB", 8, MIB),
        {.name = "rs_ring_sw8_16MB",
         .steps = {{.link = SWITCH, .count = 7, .bytes = 2 * MIB, .reducedBytes = 2 * MIB}}},
    };
}

std::vector<PeerCase>
MakeCongestionPeerCases()
{
    std::vector<PeerCase> cases;
    const PeerCase bases[] = {
        SwitchRingCase("ar_ring_sw8_16MB", 8, 16 * MIB),
        {.name = "ar_direct_sw8_16MB",
         .steps = {DirectSteps(8, 16 * MIB, 2 * MIB), DirectSteps(8, 16 * MIB, 0)}},
        {.name = "a2a_direct_sw8_16MB", .steps = {DirectSteps(8, 16 * MIB, 0)}}};
    for (const PeerCase& base : bases)
    {
        for (const PeerCase& peerCase : UnderEachControl(base))
        {
            cases.push_back(peerCase);
        }
    }
    return cases;
}

} // namespace nadi::test
