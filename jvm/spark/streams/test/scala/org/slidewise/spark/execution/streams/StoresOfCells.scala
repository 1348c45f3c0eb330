package org.slidewise.spark.execution.streams

import java.nio.file.Files
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.StructType

private[streams] object StoresOfCells {

  /** Stores of Spark's default provider, in a new folder, for cells with these keys. */
  def provider(keySchema: StructType): StateStoreProvider = StateStoreProvider.createAndInit(
    StateStoreProviderId(
      StateStoreId(Files.createTempDirectory("cells").toString, 0, 0, StateStoreId.DEFAULT_STORE_NAME),
      UUID.randomUUID
    ),
    keySchema,
    StateCells.valueSchema,
    PrefixKeyScanStateEncoderSpec(keySchema, StateCells.PrefixColumns),
    useColumnFamilies = false,
    new StateStoreConf,
    new Configuration,
    useMultipleValuesPerKey = false,
    stateSchemaProvider = None
  )
}
