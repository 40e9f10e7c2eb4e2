// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "system/library/nccl/kernel-way.h"
#include "system/library/nccl/machine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::nccl
{

enum class ScriptAlgorithm : uint8_t
{
    Ring,
    AllPairs, ///< each rank exchanges its part with all others at once
};

std::string ToText(ScriptAlgorithm algorithm);

/// An algorithm that a file gives, as far as its time depends on it.
struct Script
{
    ScriptAlgorithm algorithm = ScriptAlgorithm::Ring;
    KernelProtocol protocol = KernelProtocol::Simple;
    /// Of a ring: its pieces go over the channels in turn. That is a pipeline, not several rings.
    uint32_t channels = 1;
    uint32_t instances = 1; ///< copies of the whole algorithm, each with a part of the data

    /// Of all copies. An exchange of all pairs has one of each.
    uint32_t AllChannels() const
    {
        return algorithm == ScriptAlgorithm::Ring ? channels * instances : instances;
    }
};

/// The keys of a script, without the protocol, which is a key of all libraries of the family.
std::vector<ParameterSpec> ScriptSpecs();

/// Throws ConfigError at `protocol` where it is auto: a file says which one it is for.
Script ReadScript(const Parameters& values);

/// How the script runs on a node, by the costs of the preset of its protocol.
KernelWay
MakeScriptWay(const Script& script, const CostContext& context, const Placement& placement);

} // namespace nadi::nccl
