// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"

namespace nadi
{

class XmlElement;

/// Reads the steps of a GPU's thread blocks. Requires: the GPU, which has its numbers of chunks
/// already, outlives it.
class MscclStepReader
{
  public:
    explicit MscclStepReader(const MscclGpu& gpu)
        : m_gpu(gpu)
    {
    }

    /// The next step of `block`. Throws ConfigError at its line. Whether the step that it waits for
    /// exists is not known yet: OrderMscclSteps looks.
    MscclStep Read(const XmlElement& element, const MscclThreadBlock& block) const;

  private:
    MscclPlace ReadPlace(const XmlElement& element,
                         const char* buffer,
                         const char* offset,
                         uint32_t count) const;
    void ReadPlaces(const XmlElement& element, MscclStep& step) const;

    const MscclGpu& m_gpu;
};

} // namespace nadi
