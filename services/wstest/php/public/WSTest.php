<?php

/** WSTest at its address. */

declare(strict_types=1);

require_once __DIR__ . '/../../../common/php/Requests.php';
require_once __DIR__ . '/../WSTest.php';

Requests::answer(__DIR__ . '/../../contract/wstest.wsdl', new WSTest(), ['features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
