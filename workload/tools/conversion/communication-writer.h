// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/tools/conversion/conversion-notes.h"
#include "workload/tools/conversion/pytorch-call.h"
#include "workload/tools/conversion/pytorch-groups.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// Writes what a kernel of a communication library carries into its node.
class CommunicationWriter
{
  public:
    /// `known` are the groups that the recording defines; an empty list is all ranks. The
    /// references must outlive it.
    CommunicationWriter(ProcessGroups known,
                        uint32_t worldSize,
                        PytorchGroups& groups,
                        ConversionNotes& notes)
        : m_known(std::move(known))
        , m_worldSize(worldSize)
        , m_groups(groups)
        , m_notes(notes)
    {
    }

    /// Makes the node a collective, send or receive. A call that the recording does not tell enough
    /// of leaves it as it is, compute of its recorded duration, and a note counts it.
    void Write(const PytorchCall& call, ChakraProtoMsg::Node& node);

    /// Counts a kernel of which not even the calls are known.
    void CountUnknown();

  private:
    /// Members of the group, in its order; empty: unknown.
    std::vector<uint32_t> FindRanks(const PytorchCall& call) const;
    bool WriteGroup(const PytorchCall& call, ChakraProtoMsg::Node& node);
    void WriteCollective(const PytorchCall& call, ChakraProtoMsg::Node& node);
    void WriteMessage(const PytorchCall& call, ChakraProtoMsg::Node& node);
    void WriteSize(const PytorchCall& call, ChakraProtoMsg::Node& node);
    std::optional<uint32_t> FindPartner(const PytorchCall& call) const;

    ProcessGroups m_known;
    uint32_t m_worldSize;
    PytorchGroups& m_groups;
    ConversionNotes& m_notes;
};

} // namespace nadi
