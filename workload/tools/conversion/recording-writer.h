// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/tools/conversion/communication-writer.h"
#include "workload/tools/conversion/device-plan.h"
#include "workload/tools/conversion/host-timeline.h"
#include "workload/tools/conversion/kernel-scopes.h"
#include "workload/tools/conversion/kineto-nesting.h"
#include "workload/tools/conversion/pytorch-host-links.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// What is known of the recording of one rank, before it is written as a trace.
struct Recording
{
    const KinetoTrace& device;
    const PytorchHostTrace* host = nullptr; ///< null: none
    const PytorchHostLinks& links;
    const DevicePlan& plan;
    const std::vector<HostSegment>& timeline;
    const KinetoNesting& nesting;
    const KernelScopes& scopes;
};

/// Writes a recording as the nodes of a Chakra trace. Ids are in the order in which the host went
/// on and launched work, from 1.
class RecordingWriter
{
  public:
    /// The arguments must outlive it.
    RecordingWriter(const Recording& recording,
                    CommunicationWriter& communication,
                    ConversionNotes& notes);

    std::vector<ChakraProtoMsg::Node> Write();

  private:
    using Node = ChakraProtoMsg::Node;

    /// A segment of the host or a work of the device.
    struct Item
    {
        int64_t ns = 0;
        bool isDevice = false;
        size_t index = 0;
        uint64_t firstId = 0;
        uint64_t nodeCount = 1;
    };

    std::vector<Item> OrderItems() const;
    void AssignIds(std::vector<Item>& items);
    void FindLaunchingSegments();
    uint64_t CountNodes(const DeviceWork& work) const;

    void WriteSegment(size_t index, Node& node) const;
    void WriteOperator(const HostSegment& segment, Node& node) const;
    void WriteWaits(const HostSegment& segment, Node& node) const;
    void WriteWork(const DeviceWork& work, size_t part, Node& node);
    /// What the kernel works on, where the operator around its launch has shapes in the host trace.
    void WriteKernel(const DeviceWork& work, Node& node) const;
    /// The scopes of the host around its launch, where it has some: attribute `scopes`.
    void WriteScopes(const DeviceWork& work, Node& node) const;
    void WriteWorkDependencies(const DeviceWork& work, Node& node) const;
    void DependOnWork(size_t work, Node& node) const;

    const Recording& m_recording;
    CommunicationWriter& m_communication;
    ConversionNotes& m_notes;
    std::vector<uint64_t> m_idOfSegment;
    std::vector<std::pair<uint64_t, uint64_t>> m_idsOfWork; // the first one, and how many
    std::unordered_map<size_t, size_t> m_launchingSegment;  // by call
};

} // namespace nadi
