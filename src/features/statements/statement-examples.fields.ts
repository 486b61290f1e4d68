/** The examples of the OpenAPI document. They all show the same payment. */
export const fileExample = {
  file_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  state: 'stored',
  format: 'camt.053',
  version: '08',
  received_at: '2026-11-23T08:15:00.000Z',
  entries: 1,
  matched_entries: 0,
  problems: [],
  statements: [
    {
      number: 1,
      account_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
      account_ending: '3000',
      bank_statement_id: 'STMT-2026-11-20',
      kind: 'final',
      period_from: '2026-11-20',
      period_to: '2026-11-20',
      opening_balance: '1000.00',
      closing_balance: '1025.00',
      balance: 'balanced',
      continuity: 'first',
      entries: 1,
    },
  ],
  voided_at: null,
  void_reason: null,
} as const;

export const entryExample = {
  entry_id: '5b9c7a1e-0d2f-8a4b-8c6d-7e8f9a0b1c2d',
  direction: 'credit',
  amount: '25.00',
  charges: '0.00',
  currency: 'USD',
  booking_date: '2026-11-20',
  bank_reference: 'AX-20261120-0007',
  return_code: null,
  outcome: 'matched',
  reason: null,
  is_decided: false,
  allocations: [
    {
      transaction_id: 'K7Q20CR5M3V9XHG',
      kind: 'payment',
      amount: '25.00',
      confidence: 'exact',
      state: 'confirmed',
    },
  ],
} as const;

export const exampleFile = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <BkToCstmrStmt>
    <GrpHdr><MsgId>M-20261120</MsgId></GrpHdr>
    <Stmt>
      <Id>STMT-2026-11-20</Id>
      <FrToDt><FrDt>2026-11-20</FrDt><ToDt>2026-11-20</ToDt></FrToDt>
      <Acct><Id><Othr><Id>990000003000</Id></Othr></Id><Ccy>USD</Ccy></Acct>
      <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">1000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
      <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">1025.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
      <Ntry>
        <Amt Ccy="USD">25.00</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd>
        <Sts><Cd>BOOK</Cd></Sts>
        <BookgDt><Dt>2026-11-20</Dt></BookgDt>
        <AcctSvcrRef>AX-20261120-0007</AcctSvcrRef>
        <NtryDtls><TxDtls><Refs><EndToEndId>K7Q20CR5M3V9XHG</EndToEndId></Refs></TxDtls></NtryDtls>
      </Ntry>
    </Stmt>
  </BkToCstmrStmt>
</Document>`;
