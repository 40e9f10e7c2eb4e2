// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "common/units.h"
#include "workload/serving/batcher.h"
#include "workload/serving/expert-routing.h"
#include "workload/serving/generated-requests.h"
#include "workload/serving/request-trace.h"
#include "workload/serving/router.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What an instance does for a request.
enum class ServingRole : uint8_t
{
    Both,
    Prefill, ///< the prompt and the first token
    Decode,  ///< the other tokens
    /// What its `phase` says, but for the experts that tokens are routed to.
    Attention,
    Ffn, ///< these experts, for one attention instance
};

std::string ToText(ServingRole role);

/// An entry of `workload.serve.instances`.
struct InstanceOptions
{
    ServingRole role = ServingRole::Both;
    uint32_t count = 1; ///< instances of this kind
    uint32_t tensor = 1;
    uint32_t pipeline = 1;
    uint32_t data = 1; ///< replicas with batches of their own
    uint32_t expert = 1;
    ServingRole phase = ServingRole::Both; ///< of role Attention: Both, Prefill or Decode
    std::string name = {};                 ///< of role Attention
    std::string pair = {};                 ///< of role Ffn: the name of the other instance
    uint32_t microBatches = 1;             ///< of role Attention
    Bytes memory = Bytes(80'000'000'000);  ///< of a rank
    /// Which host its ranks, those of all `count` instances, each once; none: the next free ones.
    std::optional<std::vector<uint32_t>> npus = {};
    std::string where; ///< for errors

    bool IsAttention() const
    {
        return role == ServingRole::Attention;
    }

    bool IsFfn() const
    {
        return role == ServingRole::Ffn;
    }

    /// What requests it takes; Ffn: none.
    ServingRole Duty() const
    {
        return IsAttention() ? phase : role;
    }

    uint64_t RanksOfOne() const
    {
        return IsFfn() ? expert : uint64_t{tensor} * pipeline * data;
    }
};

/// How keys and values come from prefill to decode; `workload.serve.kv-transfer`.
struct KvTransferOptions
{
    enum class When : uint8_t
    {
        Layer, ///< of each layer as soon as it is computed
        End,   ///< when the prompt is computed
    };

    enum class Mode : uint8_t
    {
        Push, ///< the rank that has them sends
        Pull, ///< when the rank that needs them has asked
    };

    When when = When::End;
    Mode mode = Mode::Push;

    bool operator==(const KvTransferOptions&) const = default;
};

/// The bounds that a request should keep; `workload.serve.slo`.
struct ServiceLevel
{
    std::optional<SimTime> ttft; ///< until the first token
    std::optional<SimTime> tpot; ///< for each further one

    bool operator==(const ServiceLevel&) const = default;
};

/// `workload.serve`: a cluster that serves a model.
struct ServeOptions
{
    ComponentChoice model; ///< parameters of ServedModelSpecs, complete
    ArrivalOptions requests;
    std::optional<RequestTraceOptions> requestTrace; ///< in place of drawn ones
    std::vector<InstanceOptions> instances;
    RoutingPolicy router = RoutingPolicy::LeastLoaded;
    BatchingOptions batching;
    std::optional<Bytes> kvMemory; ///< of a rank; none: what weights leave of nine tenths
    KvTransferOptions kvTransfer;
    ExpertRoutingOptions experts;
    std::optional<uint64_t> layers; ///< of a stage, whose traffic is simulated; none: all
    ServiceLevel serviceLevel;
    std::string where; ///< for errors

    /// Of all instances.
    uint64_t RankCount() const;

    /// Whether an instance has this duty.
    bool HasRole(ServingRole role) const;

    /// Whether experts lie on instances of their own.
    bool HasFfn() const
    {
        return HasRole(ServingRole::Ffn);
    }

    /// Whether the tokens of an instance find their ways to experts on several of its ranks, so
    /// that `experts` has an effect.
    bool RoutesTokens() const;
};

/// The requests that the options ask for. Throws ConfigError as OpenRequestTrace.
std::unique_ptr<RequestSource> MakeRequestSource(const ServeOptions& options, uint64_t seed);

/// The parameters of a model that is served: its shape, and the types of its numbers.
std::vector<ParameterSpec> ServedModelSpecs();

} // namespace nadi
