// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/dimension.h"
#include "network/event-loop.h"
#include "network/network-backend.h"
#include "system/collective-phase-observer.h"
#include "system/collective-record.h"
#include "system/communicator.h"
#include "system/in-network/tree-table.h"
#include "system/library/installed-library.h"
#include "system/message-programs/program-table.h"
#include "system/operation.h"
#include "system/pending-collective.h"
#include "system/system-options.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What is in progress: a bound on these is a bound on the engine's memory.
struct CollectiveUsage
{
    size_t phases = 0;   ///< (rank, chunk phase)
    size_t lanes = 0;    ///< of those phases' plans, under way
    size_t arrivals = 0; ///< messages that wait for their step, or steps for their message
    size_t held = 0;     ///< messages that their protocol does not let go yet
};

/// What switches that compute have done.
struct InNetworkUsage
{
    uint64_t collectives = 0; ///< completed, that they helped in
    Bytes bytes;              ///< of payload that they sent
    uint64_t fallbacks = 0;   ///< completed without them, as they had no place

    bool operator==(const InNetworkUsage&) const = default;
};

/// How far the collectives are that run now.
struct CollectiveProgress
{
    uint64_t members = 0;      ///< of all of them, that are not done
    double plannedBytes = 0;   ///< payload that their plans send
    double deliveredBytes = 0; ///< of that

    /// From 0 to 1.
    double Share() const;
};

/// What of the options for collectives has acted so far; for telling those that never did.
struct SystemEffects
{
    bool interDimension = false; ///< at its default, or it changed a plan
    bool intraDimension = false; ///< likewise
    bool hierarchy = false;      ///< likewise
    bool chunksInFlight = false; ///< likewise, or more were under way than by default could be
    bool slots = false;          ///< a collective waited for a slot
    bool reduction = false;      ///< a rank reduced something
    uint32_t mostChunks = 0;     ///< of a collective
    uint32_t mostDimensions = 0; ///< that a collective ran over
    uint32_t mostSends = 0;      ///< that a rank had side by side, had `sends-in-flight` no limit
};

/// Runs collectives: members meet, slots are granted, chunks cross the dimensions, plans send.
///
/// A collective starts on all members at once, when the last one has called it and every member has
/// a free slot (docs/semantics.md 2); each member completes by itself. Memory grows with running
/// collectives and messages in flight, not with ranks x steps. A group of one completes at its
/// issue, by an event of the same instant.
///
/// Life of a collective: Rendezvous gathers its calls; CollectiveSlots grants it a slot on each
/// member; the communication library gives the program (chunks, phases, order, protocol), which
/// ProgramCache keeps; CollectiveRun begins the phases of each member as its gates allow;
/// PhaseExecutor runs a phase's plan and sends the messages. When the last phase of a member has
/// ended, and the protocol adds nothing to it, the listener is told.
class CollectiveEngine
{
  public:
    /// The logical stack: what dimensions communicators are laid out in and planned for.
    struct Context
    {
        EventLoop& loop;
        NetworkBackend& network;
        const std::vector<Dimension>& stack; ///< innermost first; product = ranks or more
        const std::vector<Communicator>& communicators; ///< by id
        const SystemOptions& options;
        InstalledLibrary& library; ///< on the same options and stack
        OperationListener& listener;
        RankPlacement places = {};        ///< of the ranks in the stack
        TreeTable* trees = nullptr;       ///< null: no switch computes
        ProgramTable* programs = nullptr; ///< null: no algorithm has stored programs
    };

    /// All references of the context outlive the engine.
    explicit CollectiveEngine(const Context& context);
    ~CollectiveEngine();

    void SetObserver(CollectiveObserver& observer);

    /// Requires: before the first Start().
    void SetPhaseObserver(CollectivePhaseObserver& observer);

    /// A member calls a collective; completion comes to the listener.
    /// Throws JobError when it does not match what other members called as their same call
    /// (type; size, but for all-to-all, gather and scatter; root; the splits of an all-to-all),
    /// naming ranks and nodes.
    void Start(const CollectiveCall& call);

    /// A message of a collective's stream was delivered.
    void OnMessageDelivered(const Delivery& delivery);

    /// One will be soon; makes that faster.
    void ExpectDelivery(const Message& message) const;

    /// Collectives that were called and have not ended, by (communicator, call).
    std::vector<PendingCollective> FindPending() const;

    /// Payload bytes that `rank` has sent for collectives so far.
    Bytes BytesSent(RankId rank) const;

    /// What switches have done so far.
    InNetworkUsage InNetwork() const;

    CollectiveUsage Usage() const;

    SystemEffects Effects() const;

    const CollectiveProgress& Progress() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace nadi
