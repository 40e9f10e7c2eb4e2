// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/instance-state.h"
#include "workload/serving/kv-transfer.h"
#include "workload/serving/router.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What of a request a replica is to do.
enum class ServingDuty : uint8_t
{
    Prompt, ///< and, of an instance with both roles, the answer
    Answer, ///< after another instance has computed the prompt
};

/// Chooses the replica that takes a request, among all replicas of the instances with that duty.
class ReplicaChooser
{
  public:
    /// `where`: of the configuration, for errors.
    ReplicaChooser(RoutingPolicy policy, uint64_t seed, std::string where);

    /// Its replicas may be chosen. Order: of their numbers. It outlives the chooser.
    void Add(InstanceState& state);

    /// Throws ConfigError where one of the replicas could never hold the request.
    ReplicaPlace Choose(const Request& request, ServingDuty duty);

    /// Throws ConfigError where one of the replicas that may be chosen could never hold the
    /// request.
    void Check(const Request& request) const;

  private:
    struct Candidate
    {
        ReplicaPlace place;
        const Batcher* batcher = nullptr;
    };

    /// Who has a duty, and who of them is next.
    struct Candidates
    {
        Router router;
        std::vector<Candidate> replicas = {};
    };

    /// A replica of each kind of instance: what one of a kind can hold, all can.
    struct Kind
    {
        const ServingInstance* instance = nullptr;
        const Batcher* batcher = nullptr;
    };

    static bool AreAlike(const Kind& kind, const Kind& other);
    void CheckRoom(const Request& request, const Kind& kind) const;

    Candidates m_forPrompts;
    Candidates m_forAnswers;
    std::vector<Kind> m_kinds; // in the order of their first instances
    std::string m_where;
};

} // namespace nadi
