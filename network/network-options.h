// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "common/units.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// How many payload bytes of a queue pair may be unacknowledged.
struct WindowChoice
{
    enum class Kind : uint8_t
    {
        None,
        BandwidthDelayProduct, ///< line rate times base round trip of its path
        Fixed,
    };

    Kind kind = Kind::None;
    Bytes size; ///< Fixed
};

/// Priority flow control.
struct PfcOptions
{
    /// Per ingress port and priority. None: what can arrive at most after the decision to pause.
    /// With equal rates that is the latencies of both directions x rate + 2 full frames + 1 pause
    /// frame for each data priority.
    std::optional<Bytes> headroom;
    double alpha = 0.125; ///< share of the free pool that one ingress may hold before its pause
};

/// Marks at switches: none up to `min` bytes of queue, with a probability that rises linearly to
/// `probability` at `max`, always beyond.
struct EcnOptions
{
    Bytes min{400'000};
    Bytes max{1'600'000};
    double probability = 0.2;
};

/// What a queue pair sends again after a loss. With frame 3 of 0 to 9 lost, go-back-N sends 3 to 9
/// again, selective recovery frame 3 alone, as its receiver keeps frames that come out of order.
enum class LossRecovery : uint8_t
{
    GoBackN,
    Selective,
};

/// When a switch may pass a frame on: once all of it has arrived, or once its header has.
enum class Switching : uint8_t
{
    StoreAndForward,
    CutThrough,
};

/// An attribute of an ns-3 type; an entry of `network.ns3`.
struct Ns3Attribute
{
    std::string name;    ///< in full: "ns3::FabricSwitch::BufferSize"
    std::string value;   ///< as the user wrote it
    std::string where{}; ///< its place, for errors
};

/// For PacketOptions::framesPerAcknowledgement: no more than one acknowledgement for each message,
/// and one for each frame that fills the window.
inline constexpr uint32_t ACKNOWLEDGE_MESSAGES = std::numeric_limits<uint32_t>::max();

/// The load balancing that gives each flow one way, by its hash.
constexpr const char* ECMP = "ecmp";

/// The most bytes of a part of a frame: what the fabric counts with.
inline constexpr Bytes LARGEST_FRAME{int64_t{1} << 30};

/// How the packet network works; `network.packet` of the configuration.
struct PacketOptions
{
    Bytes payload{4096};    ///< of a full frame; > 0
    Bytes header{64};       ///< added to every data frame on the wire; 0 is allowed
    Bytes controlFrame{64}; ///< whole wire size of a control frame; > 0
    /// Data frames per acknowledgement; the last frame of a message is always acknowledged.
    /// None: as the congestion control and the window need, else one per message.
    std::optional<uint32_t> framesPerAcknowledgement;
    ComponentChoice congestionControl{"none"}; ///< how senders adapt their rate
    WindowChoice window;
    std::optional<PfcOptions> pfc;
    std::optional<EcnOptions> ecn;
    std::optional<Bytes> buffer; ///< of each node that forwards frames; none: unlimited
    std::string bufferWhere = "network.packet.buffer"; ///< its place, for errors
    ComponentChoice loadBalancing{ECMP}; ///< which of several equally good ways a frame takes
    Switching switching = Switching::StoreAndForward;
    SimTime switchLatency; ///< between a frame's arrival at a switch and its queueing
    LossRecovery lossRecovery = LossRecovery::GoBackN;
    std::optional<SimTime> retransmitTimeout; ///< none: from the path, see docs/semantics.md 5
    std::vector<Ns3Attribute> ns3;
    SimTime rerouteAfter = SimTime::FromPs(1'000'000'000); ///< from a failure to new routes
    bool trains = true; ///< runs of equal frames travel without an event each; changes no result
    /// What a part of the network did once is answered, not simulated again; changes no result.
    bool memo = true;
    uint64_t seed = 1;
    /// Executes the events of one instant in an order scrambled by this number; no result may
    /// change. A test mode; none: in order of scheduling.
    std::optional<uint64_t> scrambleSeed;
    /// Answers of the memo are given up with one chance in this number, whenever something enters
    /// or comes out. Only tests do that; 0: never.
    uint32_t memoInterrupt = 0;
    /// What the memo keeps of what it has learned, in words of 8 bytes; changes no result. Only
    /// tests choose it.
    uint64_t memoWords = uint64_t{1} << 25;
    /// Without it rings whose buffers are finite can deadlock. Only tests switch it off.
    bool hasDateline = true;
};

} // namespace nadi
