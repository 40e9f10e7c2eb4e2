// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SHARED_BUFFER_MODEL_RUN_H
#define FABRIC_SHARED_BUFFER_MODEL_RUN_H

#include "fabric-shared-buffer-model.h"
#include "fabric-test-random.h"

#include "ns3/fabric-shared-buffer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// One random run of the model and of two buffers: one is told of releases at once, the other as
/// late as IsSurelyCalm allows.
class FabricSharedBufferModelRun
{
  public:
    /// What happened, so that a test can see that something did.
    struct Counts
    {
        uint64_t calm = 0; ///< instants with arrivals
        uint64_t pauses = 0;
        uint64_t resumes = 0;
        uint64_t drops = 0;

        Counts& operator+=(const Counts& other);
    };

    explicit FabricSharedBufferModelRun(uint64_t seed);

    void Run(uint32_t instants);

    /// The first difference; empty if all agree.
    const std::string& GetDifference() const
    {
        return m_difference;
    }

    const Counts& GetCounts() const
    {
        return m_counts;
    }

  private:
    using Name = FabricSharedBufferModel::Name;
    using Names = FabricSharedBufferModel::Names;

    static constexpr uint32_t EGRESSES = 3;

    struct StoredFrame
    {
        Name ingress;
        uint32_t bytes;
        uint32_t egress;
    };

    static FabricBufferSettings MakeSettings(FabricTestRandom& random, uint64_t eighths);
    static FabricIngress MakeIngress(const Name& name);
    static Names MakeNames(const std::vector<FabricIngress>& ingresses);

    void ReleaseSome(uint64_t percent);
    std::vector<StoredFrame> DrawArrivals();
    void Arrive(const std::vector<StoredFrame>& frames);
    void Store(const StoredFrame& frame, bool isCalm);
    void Pause(bool isCalm);
    void Resume();
    void TellReleases();
    void Compare();
    void Expect(bool holds, const char* what);

    FabricTestRandom m_random;
    uint64_t m_eighths;
    FabricBufferSettings m_settings;
    FabricSharedBufferModel m_model;
    FabricSharedBuffer m_prompt;
    FabricSharedBuffer m_late;
    std::vector<StoredFrame> m_stored;
    std::vector<StoredFrame> m_untold; ///< released, and m_late does not know
    std::map<uint32_t, uint64_t> m_egressBytes;
    std::map<uint32_t, uint64_t> m_lateEgressBytes;
    std::string m_difference;
    Counts m_counts;
};

} // namespace ns3

#endif /* FABRIC_SHARED_BUFFER_MODEL_RUN_H */
