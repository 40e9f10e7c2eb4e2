// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/job-engine.h"
#include "workload/serving/kv-transfer.h"
#include "workload/serving/sequence.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace nadi
{

/// Moves keys and values of preempted sequences to remote memory and back: an episode each, in
/// which every rank of the replica stores or loads the blocks that it has of the sequence.
class KvOffload
{
  public:
    enum class Direction : uint8_t
    {
        Store,
        Load,
    };

    /// A sequence on its way.
    struct Move
    {
        Direction direction = Direction::Store;
        ReplicaPlace place;
        Sequence* sequence = nullptr;
    };

    /// All of it outlives this. `listener` is told the ends of episodes, and passes them on.
    KvOffload(JobEngine& jobs, EpisodeListener& listener, std::shared_ptr<const RankNames> names)
        : m_jobs(jobs)
        , m_listener(listener)
        , m_names(std::move(names))
    {
    }

    /// Requires: called where JobEngine::Submit may be.
    void Begin(const Move& move);

    bool Owns(EpisodeNumber episode) const
    {
        return m_underWay.contains(episode);
    }

    /// The episode has ended; what it moved. Requires: Owns(episode).
    Move End(EpisodeNumber episode)
    {
        return m_underWay.extract(episode).mapped();
    }

    /// Sequences that were stored or are being stored, and what was stored of them.
    uint64_t Stores() const
    {
        return m_stores;
    }

    uint64_t StoredBytes() const
    {
        return m_storedBytes;
    }

  private:
    JobEngine& m_jobs;
    EpisodeListener& m_listener;
    std::shared_ptr<const RankNames> m_names;
    std::map<EpisodeNumber, Move> m_underWay;
    uint64_t m_stores = 0;
    uint64_t m_storedBytes = 0;
};

} // namespace nadi
