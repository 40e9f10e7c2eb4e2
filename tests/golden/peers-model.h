// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

/// The links between two NPUs that talk to each other in a case.
struct PeerLink
{
    uint64_t bitsPerSecond;
    uint32_t hops;      ///< links from NPU to NPU: 2 through a switch
    bool acksSharePort; ///< an NPU's acknowledgements leave by the port of its data
};

/// Steps that follow each other, each waiting for the one before: every NPU sends `messages`
/// messages of `bytes` and receives as many.
struct PeerSteps
{
    PeerLink link;
    uint32_t count;
    uint64_t bytes;
    uint64_t reducedBytes; ///< of each message; 0: none
    uint32_t messages = 1;
};

/// What the packets of a case weigh.
struct PeerPackets
{
    uint64_t payload = 1000;
    uint64_t header = 48;
    uint64_t acknowledgement = 60;
    uint64_t telemetry = 0; ///< added to every frame and acknowledgement by a congestion control
};

/// One collective, as each simulator splits it into dependent steps.
struct PeerCase
{
    std::string name;
    std::vector<PeerSteps> steps = {};     ///< of Nadi
    std::vector<PeerSteps> peerSteps = {}; ///< of the peer, where it takes others
    PeerPackets packets = {};              ///< of Nadi
    PeerPackets peerPackets = {};
};

/// Every step takes latency plus size over rate; nothing else takes time.
double AlphaBetaNs(const PeerCase& peerCase);

/// What a packet network, the endpoint and the reductions make of that: whole frames with headers
/// leave back to back, each is stored and forwarded by a switch.
///
/// Holds: exact for one message a step. With several, they end at most a burst of one frame from
/// every sender later.
double PacketNs(const PeerCase& peerCase);

/// The same where every frame is acknowledged: from the first acknowledgement on, they take their
/// share of the ports that they leave by.
///
/// Holds: as PacketNs, as long as no window and no congestion control holds a sender back.
double AcknowledgedNs(const PeerCase& peerCase);

/// The same network as the peer's packet simulator seems to run it, inferred from its figures:
/// * every frame is acknowledged, as in AcknowledgedNs;
/// * a frame takes a whole number of nanoseconds, the nearest;
/// * a step ends when its sender has the last acknowledgement: a return path later.
double PeerPacketNs(const PeerCase& peerCase);

/// The largest burst that a step with several messages may wait for.
double BurstNs(const PeerCase& peerCase);

/// The cases of tests/data/peers/results.csv.
std::vector<PeerCase> MakePeerCases();

/// The cases of tests/data/peers/congestion.csv: all-reduce and all-to-all of 16 MiB over 8 NPUs
/// on one switch, under each congestion control.
std::vector<PeerCase> MakeCongestionPeerCases();

} // namespace nadi::test
